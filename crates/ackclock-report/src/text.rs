//! Words and tables.

use maud::{Markup, Render, html};

/// A number with as many digits as a reader has use for.
pub fn number(value: f64) -> String {
    let digits = match value.abs() {
        size if size >= 1000.0 || size == size.round() => 0,
        size if size >= 100.0 => 1,
        size if size >= 10.0 => 2,
        size if size >= 0.01 => 3,
        _ => 5,
    };
    format!("{value:.digits$}")
}

/// Words, of which parts may stand out. A string becomes one plain part.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Text {
    parts: Vec<(Tone, String)>,
}

/// How a part stands out.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Tone {
    Plain,
    Faint,
    Code,
    Good,
    Bad,
    Below,
    Link(String),
}

impl Text {
    /// Nothing yet.
    pub fn new() -> Self {
        Text::default()
    }

    /// And plain words.
    pub fn plain(self, words: impl Into<String>) -> Self {
        self.and(Tone::Plain, words)
    }

    /// And words of less weight.
    pub fn faint(self, words: impl Into<String>) -> Self {
        self.and(Tone::Faint, words)
    }

    /// And words that a user types or a program wrote.
    pub fn code(self, words: impl Into<String>) -> Self {
        self.and(Tone::Code, words)
    }

    /// And words about what is as it should be.
    pub fn good(self, words: impl Into<String>) -> Self {
        self.and(Tone::Good, words)
    }

    /// And words about what is not.
    pub fn bad(self, words: impl Into<String>) -> Self {
        self.and(Tone::Bad, words)
    }

    /// And a line below that explains.
    pub fn below(self, words: impl Into<String>) -> Self {
        self.and(Tone::Below, words)
    }

    /// And a link: `#id` of a section, or a file beside the page.
    pub fn link(self, words: impl Into<String>, to: impl Into<String>) -> Self {
        self.and(Tone::Link(to.into()), words)
    }

    fn and(mut self, tone: Tone, words: impl Into<String>) -> Self {
        self.parts.push((tone, words.into()));
        self
    }
}

impl From<&str> for Text {
    fn from(words: &str) -> Self {
        Text::new().plain(words)
    }
}

impl From<String> for Text {
    fn from(words: String) -> Self {
        Text::new().plain(words)
    }
}

impl Render for Text {
    fn render(&self) -> Markup {
        html! {
            @for (tone, words) in &self.parts {
                @match tone {
                    Tone::Plain => (words),
                    Tone::Faint => span.faint { (words) },
                    Tone::Code => code { (words) },
                    Tone::Good => span.good { (words) },
                    Tone::Bad => span.bad { (words) },
                    Tone::Below => div.faint { (words) },
                    Tone::Link(to) => a href=(to) { (words) },
                }
            }
        }
    }
}

/// A table. One that is wider than the page scrolls by itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Table {
    caption: Option<String>,
    columns: Vec<Text>,
    rows: Vec<Vec<Text>>,
}

impl Table {
    /// With these headings and no rows yet; without headings if there are none.
    pub fn new<T: Into<Text>>(columns: impl IntoIterator<Item = T>) -> Self {
        let columns = columns.into_iter().map(Into::into).collect();
        Table { caption: None, columns, rows: Vec::new() }
    }

    /// With words above it.
    pub fn caption(mut self, caption: impl Into<String>) -> Self {
        self.caption = Some(caption.into());
        self
    }

    /// And this row.
    pub fn row<T: Into<Text>>(mut self, cells: impl IntoIterator<Item = T>) -> Self {
        self.rows.push(cells.into_iter().map(Into::into).collect());
        self
    }
}

impl Render for Table {
    fn render(&self) -> Markup {
        html! {
            div.scroll {
                table {
                    @if let Some(caption) = &self.caption { caption { (caption) } }
                    @if !self.columns.is_empty() {
                        thead { tr { @for column in &self.columns { th { (column) } } } }
                    }
                    tbody {
                        @for row in &self.rows { tr { @for cell in row { td { (cell) } } } }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_markup_is_shown_as_it_is() {
        let text = Text::from("a < b").code("<i>").link("there", "#x\"y");
        let markup = "a &lt; b<code>&lt;i&gt;</code><a href=\"#x&quot;y\">there</a>";
        assert_eq!(text.render().into_string(), markup);
    }

    #[test]
    fn a_number_has_no_more_digits_than_are_of_use() {
        let text = [1234.5, 250.0, 123.45, 12.345, 0.12345, 0.001_234_5].map(number);
        assert_eq!(text, ["1234", "250", "123.5", "12.35", "0.123", "0.00123"]);
    }
}
