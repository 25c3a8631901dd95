//! Text files of a bounded size, so that one without an end fills no memory.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Reads a text file of at most `most` bytes.
///
/// # Errors
/// It cannot be read, has more bytes, or is no text.
pub fn read_text(file: impl AsRef<Path>, most: u64) -> io::Result<String> {
    let mut text = String::new();
    // A byte more shows that there is more.
    File::open(file)?.take(most + 1).read_to_string(&mut text)?;
    if text.len() as u64 > most {
        let problem = format!("it has more than {most} bytes, which no such file needs");
        return Err(io::Error::new(ErrorKind::FileTooLarge, problem));
    }
    Ok(text)
}
