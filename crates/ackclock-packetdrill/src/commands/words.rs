//! The part of the shell's language that commands which set the kernel are written in.

/// A command of a list: its words, and how it is written. A pipeline is one whole.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Simple<'t> {
    pub(super) words: Vec<String>,
    pub(super) text: &'t str,
    /// The file that its output goes to.
    pub(super) output: Option<String>,
    pub(super) is_pipeline: bool,
}

/// The commands of a list. Quotes, comments, continued lines and products in `$((…))` are read.
pub(super) fn simple_commands(text: &str) -> Vec<Simple<'_>> {
    let mut reader = Reader { rest: text, ..Reader::default() };
    let mut begin = 0;
    let mut commands = Vec::new();
    loop {
        let is_over = !reader.read_command();
        let end = text.len() - reader.rest.len();
        let Reader { words, output, is_pipeline, .. } =
            std::mem::replace(&mut reader, Reader { rest: &text[end..], ..Reader::default() });
        let shown = text[begin..end].trim_matches([' ', '\t', '\n', ';', '&', '|']);
        if !words.is_empty() {
            commands.push(Simple { words, text: shown, output, is_pipeline });
        }
        if is_over {
            return commands;
        }
        begin = end;
    }
}

#[derive(Default)]
struct Reader<'t> {
    rest: &'t str,
    words: Vec<String>,
    word: Option<String>,
    output: Option<String>,
    /// The next word names a file to write to.
    redirects: bool,
    is_pipeline: bool,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<char> {
        let letter = self.rest.chars().next()?;
        self.rest = &self.rest[letter.len_utf8()..];
        Some(letter)
    }

    /// Whether the next letters are these, which are then passed.
    fn eat(&mut self, letters: &str) -> bool {
        let rest = self.rest.strip_prefix(letters);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Reads a command; false at the end.
    fn read_command(&mut self) -> bool {
        loop {
            let Some(letter) = self.next() else {
                self.end_word();
                return false;
            };
            match letter {
                '\\' => {
                    if let Some(escaped) = self.next().filter(|next| *next != '\n') {
                        self.push(escaped);
                    }
                }
                '\'' | '"' => self.quoted(letter),
                '#' if self.word.is_none() => {
                    let end = self.rest.find('\n').unwrap_or(self.rest.len());
                    self.rest = &self.rest[end..];
                }
                '|' if !self.rest.starts_with('|') => {
                    self.end_word();
                    self.is_pipeline = true;
                }
                '&' if self.eat(">") => self.redirect(),
                '\n' | ';' | '|' | '&' => {
                    self.end_word();
                    let _ = self.eat("&") || self.eat("|");
                    return true;
                }
                '>' | '<' => self.redirect(),
                ' ' | '\t' | '\r' => self.end_word(),
                '$' => self.expand(),
                _ => self.push(letter),
            }
        }
    }

    fn push(&mut self, letter: char) {
        self.word.get_or_insert_default().push(letter);
    }

    fn quoted(&mut self, quote: char) {
        self.word.get_or_insert_default();
        while let Some(letter) = self.next().filter(|letter| *letter != quote) {
            match letter {
                '$' if quote == '"' => self.expand(),
                _ => self.push(letter),
            }
        }
    }

    /// Behind `$`: a product in `((…))`; variables stay as they are written.
    fn expand(&mut self) {
        let product = self.rest.strip_prefix("((").and_then(|rest| rest.split_once("))"));
        let Some((product, rest)) = product else {
            return self.push('$');
        };
        let factors = product.split('*').map(|factor| factor.trim().parse::<u64>().ok());
        let value = factors.reduce(|product, factor| product?.checked_mul(factor?)).flatten();
        let shown = value.map_or(format!("$(({product}))"), |value| value.to_string());
        self.word.get_or_insert_default().push_str(&shown);
        self.rest = rest;
    }

    /// A number before `>` names a descriptor and belongs to it.
    fn redirect(&mut self) {
        if self.word.as_ref().is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit())) {
            self.word = None;
        }
        self.end_word();
        while self.eat(">") || self.eat("&") {}
        self.redirects = true;
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        match std::mem::take(&mut self.redirects) {
            true => self.output = Some(word),
            false => self.words.push(word),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_as_the_shell_does() {
        let text =
            "one 'two three' \"fo\"ur # five\n\n six \\\n seven>/dev/null 2>&1 || eight|nine &> x";
        let commands = simple_commands(text);
        let words: Vec<&[String]> = commands.iter().map(|command| &command.words[..]).collect();
        let expected: &[&[&str]] =
            &[&["one", "two three", "four"], &["six", "seven"], &["eight", "nine"]];
        assert_eq!(words, expected);
        assert_eq!(commands[2].text, "eight|nine &> x");
        assert_eq!(commands[2].output.as_deref(), Some("x"));
        let pipelines: Vec<bool> = commands.iter().map(|command| command.is_pipeline).collect();
        assert_eq!(pipelines, [false, false, true]);
    }

    #[test]
    fn products_are_worked_out() {
        let words = |text| simple_commands(text).remove(0).words;
        assert_eq!(words("a=\"1 $((15*1024*1024))\"$((2 * 3))x"), ["a=1 157286406x"]);
        assert_eq!(words("$((1+2)) ${PPID}"), ["$((1+2))", "${PPID}"]);
    }
}
