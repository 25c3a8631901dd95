//! Prints all there is to say about the connections of a capture.

use ackclock_trace::{Connection, Explanations, Long, Observer, Settings, analyse};
use std::fs::File;
use std::process::ExitCode;

struct Print;

impl Observer for Print {
    fn on_connection(&mut self, connection: &Connection) {
        println!("{}{}", Long(connection), Explanations(connection));
    }
}

fn main() -> ExitCode {
    let Some(file) = std::env::args_os().nth(1).and_then(|path| File::open(path).ok()) else {
        eprintln!("say which capture to read");
        return ExitCode::from(2);
    };
    let (summary, result) = analyse(file, Settings::default(), Print);
    println!("{summary}");
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
