//! A page.

use crate::plot::Plot;
use crate::text::{Table, Text};
use crate::{hover, picture};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::collections::BTreeSet;

/// One page that needs nothing else. It is put together from the top to the bottom: what comes
/// before the first chapter or section stands above the index.
#[derive(Clone, Debug)]
pub struct Page {
    title: String,
    introduction: Vec<Markup>,
    index: Vec<Chapter>,
    body: Vec<Markup>,
    figures: BTreeSet<String>,
}

/// What the index says of a chapter; the first one may have no title.
#[derive(Clone, Debug)]
struct Chapter {
    title: Option<Text>,
    entries: Vec<Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    id: String,
    heading: Text,
    status: Text,
}

impl Page {
    /// With a title and nothing below it.
    pub fn new(title: impl Into<String>) -> Self {
        let title = title.into();
        let figures = BTreeSet::new();
        Page { title, introduction: Vec::new(), index: Vec::new(), body: Vec::new(), figures }
    }

    /// Begins a chapter: sections that belong together.
    pub fn chapter(&mut self, title: impl Into<Text>) {
        let title = title.into();
        self.body.push(html! { h2 { (title) } });
        self.index.push(Chapter { title: Some(title), entries: Vec::new() });
    }

    /// Begins a section, to which `#id` leads; `status` is what the index says of it besides.
    pub fn section(&mut self, id: &str, heading: impl Into<Text>, status: impl Into<Text>) {
        let (id, heading, status) = (id.to_owned(), heading.into(), status.into());
        self.body.push(html! { h3 id=(id) { (heading) } });
        if self.index.is_empty() {
            self.index.push(Chapter { title: None, entries: Vec::new() });
        }
        if let Some(chapter) = self.index.last_mut() {
            chapter.entries.push(Entry { id, heading, status });
        }
    }

    /// Adds a paragraph.
    pub fn paragraph(&mut self, text: impl Into<Text>) {
        self.add(html! { p { (text.into()) } });
    }

    /// Adds a list, unless it is empty.
    pub fn list<T: Into<Text>>(&mut self, items: impl IntoIterator<Item = T>) {
        let mut items = items.into_iter().map(Into::into).peekable();
        if items.peek().is_some() {
            self.add(html! { ul { @for item in items { li { (item) } } } });
        }
    }

    /// Adds a table.
    pub fn table(&mut self, table: Table) {
        self.add(html! { (table) });
    }

    /// Adds a plot with what its caption says. `#figure-` and the plot's name lead to it; with a number
    /// behind, if another one has that name.
    pub fn figure(&mut self, plot: &Plot, caption: impl Into<Text>) {
        let (svg, plane) = picture::drawn(plot);
        let script = html! {
            script type="application/json" { (PreEscaped(hover::data(plot, &plane))) }
        };
        self.add_figure(&plot.name, caption.into(), svg, script);
    }

    /// Adds a picture that is SVG already, as it is: it is no text of strangers. Its white, black and
    /// first colours become those of the page. The name is as that of a plot.
    pub fn drawing(&mut self, name: &str, svg: &str, caption: impl Into<Text>) {
        self.add_figure(name, caption.into(), svg.to_owned(), html! {});
    }

    fn add_figure(&mut self, name: &str, caption: Text, svg: String, script: Markup) {
        let id = self.figure_id(name);
        self.add(html! {
            figure id=(id) {
                figcaption { (caption) }
                div.scroll { (PreEscaped(svg)) }
                (script)
            }
        });
    }

    /// The ids that the next figures will have, in this order, for links to them.
    pub fn next_figures<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Vec<String> {
        let mut taken = self.figures.clone();
        names.into_iter().map(|name| figure_id(&mut taken, name)).collect()
    }

    /// An id that no other figure has.
    fn figure_id(&mut self, name: &str) -> String {
        figure_id(&mut self.figures, name)
    }

    fn add(&mut self, block: Markup) {
        let place = if self.index.is_empty() { &mut self.introduction } else { &mut self.body };
        place.push(block);
    }
    /// The file.
    pub fn html(&self) -> String {
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { (self.title) }
                    style { (PreEscaped(include_str!("page.css"))) }
                }
                body {
                    h1 { (self.title) }
                    @for block in &self.introduction { (block) }
                    (self.index())
                    @for block in &self.body { (block) }
                    script { (PreEscaped(include_str!("page.js"))) }
                }
            }
        };
        page.into_string()
    }

    /// Links to the sections, if there is something to choose from.
    fn index(&self) -> Markup {
        let sections: usize = self.index.iter().map(|chapter| chapter.entries.len()).sum();
        html! {
            @if sections > 1 {
                nav {
                    @for chapter in &self.index {
                        @if let Some(title) = &chapter.title { p { strong { (title) } } }
                        ul {
                            @for Entry { id, heading, status } in &chapter.entries {
                                li { a href={ "#" (id) } { (heading) } " " (status) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// An id of a figure of this name that is not taken, which it is now.
fn figure_id(taken: &mut BTreeSet<String>, name: &str) -> String {
    let words = name.split(|letter: char| !letter.is_alphanumeric());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    let first = format!("figure-{}", words.join("-"));
    let others = (2..).map(|number: u64| format!("{first}-{number}"));
    let mut ids = std::iter::once(first.clone()).chain(others);
    ids.find(|id| taken.insert(id.clone())).unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{Axis, Style};

    #[test]
    fn the_index_leads_to_each_section_and_stands_below_the_introduction() {
        let mut page = Page::new("Title");
        page.paragraph("Introduction");
        page.section("one", "First", Text::new().good("holds"));
        page.section("two", "Second", "");
        page.paragraph("The end");
        let html = page.html();
        let place = |what: &str| html.find(what).unwrap_or_else(|| panic!("{what}: {html}"));
        let order = [
            "<h1>Title</h1>",
            "<p>Introduction</p>",
            "<a href=\"#one\">First</a> <span class=\"good\">holds</span>",
            "<a href=\"#two\">Second</a>",
            "<h3 id=\"one\">First</h3>",
            "<h3 id=\"two\">Second</h3>",
            "<p>The end</p>",
        ];
        assert!(order.map(place).is_sorted());
    }

    #[test]
    fn each_figure_has_an_id_of_its_own_with_its_name() {
        let mut page = Page::new("Title");
        let plot = |name| Plot::new(name, "t", Axis::linear("x"), Axis::linear("y"));
        for name in ["rtt", "Outstanding data, 1 a to b", "rtt"] {
            page.figure(&plot(name), "caption");
        }
        page.drawing("common-path", "<svg/>", "caption");
        assert_eq!(page.next_figures(["rtt", "rtt"]), ["figure-rtt-3", "figure-rtt-4"]);
        let html = page.html();
        let ids = html.split("<figure id=\"").skip(1).filter_map(|it| it.split('"').next());
        let expected = [
            "figure-rtt",
            "figure-outstanding-data-1-a-to-b",
            "figure-rtt-2",
            "figure-common-path",
        ];
        assert_eq!(ids.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_page_asks_for_no_other_file_and_no_name_ends_its_script() {
        let axis = || Axis::linear("</script>");
        let plot = Plot::new("p", "t", axis(), axis()).line("</script>", Style::Line, [(0.0, 1.0)]);
        let mut page = Page::new("Title");
        page.figure(&plot, "caption");
        let html = page.html();
        for elsewhere in ["src=", "href=\"http", "@import", "url("] {
            assert!(!html.contains(elsewhere), "{elsewhere}");
        }
        // Of the plot's values, and of the page.
        assert_eq!(html.matches("</script>").count(), 2);
    }
}
