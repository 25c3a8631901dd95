//! The initial window: `10` segments, or `14600B` or `14k` bytes.

use super::parse_bytes;
use ackclock::congestion::InitialWindow;

/// An initial window in either unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Window {
    /// So many full segments.
    Segments(u32),
    /// So many bytes.
    Bytes(u32),
}

impl From<Window> for InitialWindow {
    fn from(window: Window) -> Self {
        match window {
            Window::Segments(segments) => InitialWindow::segments(segments),
            Window::Bytes(bytes) => InitialWindow::bytes(bytes),
        }
    }
}

/// A number alone counts segments; one with a suffix B, k, M or G counts bytes.
pub(crate) fn parse_window(text: &str) -> Result<Window, String> {
    let number = u32::try_from(parse_bytes(text)?).map_err(|_| "more than 1 GiB")?;
    let window = if text.ends_with(|last: char| last.is_ascii_digit()) {
        Window::Segments(number)
    } else {
        Window::Bytes(number)
    };
    if number == 0 {
        return Err("must be at least one segment or one byte".into());
    }
    if !InitialWindow::from(window).is_usable() {
        return Err("more than 1 GiB".into());
    }
    Ok(window)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_number_counts_segments_and_a_suffix_means_bytes() {
        assert_eq!(parse_window("10"), Ok(Window::Segments(10)));
        assert_eq!(parse_window("14600B"), Ok(Window::Bytes(14_600)));
        assert_eq!(parse_window("14k"), Ok(Window::Bytes(14_336)));
    }

    #[test]
    fn the_unit_decides_how_the_window_depends_on_the_segment_size() {
        let windows = [Window::Segments(4), Window::Bytes(8_000)];
        let sizes = windows.map(|window| InitialWindow::from(window).window(1_000));
        assert_eq!(sizes, [4_000, 8_000]);
    }

    #[test]
    fn nothing_and_too_much_are_refused() {
        for text in ["0", "0B", "", "ten", "2G", "5000000000"] {
            assert!(parse_window(text).is_err(), "{text}");
        }
    }
}
