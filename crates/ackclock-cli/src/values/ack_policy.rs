//! When to acknowledge: `every`, `delayed`, `delayed=40ms` or `bsd43`.

use super::parse_duration;
use ackclock::tcp::AckPolicy;
use ackclock::time::Duration;

/// Longest delay that RFC 9293 allows (MUST-40).
const LONGEST_DELAY: Duration = Duration::from_millis(500);

/// An ack policy by its name.
pub(crate) fn parse_ack_policy(text: &str) -> Result<AckPolicy, String> {
    match text.split_once('=') {
        None => match text {
            "every" => Ok(AckPolicy::EverySegment),
            "delayed" => Ok(AckPolicy::default()),
            "bsd43" => Ok(AckPolicy::Bsd43),
            _ => Err("use every, delayed, delayed=40ms or bsd43".into()),
        },
        Some(("delayed", time)) => {
            let longest = parse_duration(time)?;
            if longest > LONGEST_DELAY {
                return Err("the delay must be at most 500ms".into());
            }
            let mut policy = AckPolicy::default();
            if let AckPolicy::Delayed { timeout, .. } = &mut policy {
                *timeout = longest;
            }
            Ok(policy)
        }
        Some((name, _)) => Err(format!("'{name}' takes no value: only delayed=TIME does")),
    }
}

/// The policy as it is written on the command line.
pub(crate) fn ack_policy_text(policy: AckPolicy) -> String {
    match policy {
        AckPolicy::EverySegment => "every".into(),
        AckPolicy::Delayed { timeout, .. } => format!("delayed={timeout}"),
        AckPolicy::Bsd43 => "bsd43".into(),
        _ => format!("{policy:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_policy_has_a_name_that_is_read_back() {
        for name in ["every", "delayed=40ms", "delayed=500ms", "bsd43"] {
            assert_eq!(ack_policy_text(parse_ack_policy(name).unwrap()), name);
        }
        assert_eq!(parse_ack_policy("delayed"), Ok(AckPolicy::default()));
    }

    #[test]
    fn a_delay_changes_nothing_but_the_delay() {
        let Ok(AckPolicy::Delayed { timeout, quick_acks }) = parse_ack_policy("delayed=100ms")
        else {
            panic!("not a delayed policy");
        };
        let AckPolicy::Delayed { quick_acks: default, .. } = AckPolicy::default() else {
            panic!("the default is not a delayed policy");
        };
        assert_eq!((timeout, quick_acks), (Duration::from_millis(100), default));
    }

    #[test]
    fn unknown_names_and_long_delays_are_refused() {
        for text in ["", "always", "every=1ms", "delayed=", "delayed=501ms", "delayed=x"] {
            assert!(parse_ack_policy(text).is_err(), "{text}");
        }
    }
}
