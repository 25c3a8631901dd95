//! Numbers of bytes, such as `16M`.

/// Reads a number of bytes with an optional suffix k, M, G or T for powers of 1024, as in `iperf3`, and an
/// optional B. Upper and lower case are the same.
pub(crate) fn parse_bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let suffix = text[digits.len()..].to_ascii_lowercase();
    let shift = match suffix.strip_suffix('b').unwrap_or(&suffix) {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return Err(format!("unknown suffix '{suffix}': use k, M, G or T")),
    };
    // Digits are checked because `u64::from_str` accepts a plus sign, too.
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("not a whole number of bytes such as 65536, 64k or 16M".into());
    }
    digits
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(1 << shift))
        .ok_or_else(|| "2^64 bytes or more".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_are_powers_of_1024() {
        let cases = [
            ("0", 0),
            ("1500", 1500),
            ("1500B", 1500),
            ("64k", 65_536),
            ("64KB", 65_536),
            ("16M", 16_777_216),
            ("2g", 2_147_483_648),
            ("3T", 3_298_534_883_328),
            ("18446744073709551615", u64::MAX),
        ];
        for (text, bytes) in cases {
            assert_eq!(parse_bytes(text), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn what_is_no_number_of_bytes_is_refused() {
        for text in ["", "M", "-1", "+1", "1.5M", "1 M", "5X", "5kM", "ü", "16777216T"] {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
    }
}
