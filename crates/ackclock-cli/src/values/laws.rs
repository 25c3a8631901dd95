//! Value of `--cc`: a congestion control algorithm (law), or several to compare.

use ackclock::UnknownWord;
use ackclock::tcp::CongestionControl;
use std::str::FromStr;

/// One or more laws, in the order in which they were given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Laws(pub(crate) Vec<CongestionControl>);

/// Reads laws with commas between them. A word such as `growth=abc`, without a law's name, is a further
/// parameter of the law before.
impl FromStr for Laws {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        let mut words: Vec<String> = Vec::new();
        for word in text.split(',') {
            let is_parameter = word.contains('=') && !word.contains(':');
            match words.last_mut().filter(|_| is_parameter) {
                Some(law) => *law += &format!(",{word}"),
                None => words.push(word.to_owned()),
            }
        }
        words.iter().map(|word| word.parse()).collect::<Result<_, _>>().map(Laws)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_stay_with_their_law() {
        let laws: Laws = "cubic,veno:threshold=3,growth=abc,newreno".parse().unwrap();
        let words: Vec<String> = laws.0.iter().map(ToString::to_string).collect();
        assert_eq!(words, ["cubic", "veno:threshold=3,growth=abc", "newreno"]);
        assert!("cubic,,reno".parse::<Laws>().is_err());
        assert!("growth=abc".parse::<Laws>().is_err());
    }
}
