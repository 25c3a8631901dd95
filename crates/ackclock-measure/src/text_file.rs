//! Text of a bounded size, so that a file without an end fills no memory.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Most bytes of a plan or a list of hosts: with 16 MiB there is room for half a million names.
const MOST: u64 = 16 << 20;

/// Reads a plan or a list from a file.
///
/// # Errors
/// It cannot be read, has more than 16 MiB, or is no text.
pub(crate) fn read_file(file: &Path) -> io::Result<String> {
    read(File::open(file)?)
}

/// Reads a plan or a list.
///
/// # Errors
/// As those of a file.
pub fn read(from: impl Read) -> io::Result<String> {
    let mut text = String::new();
    // A byte more shows that there is more.
    from.take(MOST + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MOST {
        let problem = format!("it has more than {MOST} bytes, which no such file needs");
        return Err(io::Error::new(ErrorKind::FileTooLarge, problem));
    }
    Ok(text)
}
