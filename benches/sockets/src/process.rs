//! A contestant's process, and what is asked of it while it serves.

use crate::contestants::Contestant;
use crate::services::DISCARDED;
use rustix::time::{ClockId, clock_gettime};
use std::io::{self, BufRead, BufReader, Write, stdin, stdout};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio, exit};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// What a process has done so far.
#[derive(Clone, Copy)]
pub struct Done {
    /// Processor time, user's and system's.
    pub processor: Duration,
    /// Bytes discarded.
    pub discarded: u64,
}

/// A contestant that serves in a process of its own, which ends with this.
pub struct Process {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Process {
    /// Starts this program once more, in the namespace of the calling thread.
    pub fn start(contestant: &Contestant) -> io::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["serve", contestant.name]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let (questions, answers) = (child.stdin.take(), child.stdout.take());
        let questions = questions.expect("a pipe was asked for");
        let answers = BufReader::new(answers.expect("a pipe was asked for"));
        Ok(Process { child, questions, answers })
    }

    /// Asks what was done so far.
    pub fn ask(&mut self) -> io::Result<Done> {
        self.questions.write_all(b"\n")?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        let mut numbers = answer.split_whitespace().map_while(|word| word.parse::<u64>().ok());
        match (numbers.next(), numbers.next()) {
            (Some(nanos), Some(discarded)) => {
                Ok(Done { processor: Duration::from_nanos(nanos), discarded })
            }
            _ => Err(io::Error::other("the contestant's process has ended")),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Serves as this contestant, and answers each line on standard input until that ends.
pub fn serve(contestant: &Contestant) -> io::Result<()> {
    let serve = contestant.serve;
    let name = contestant.name;
    std::thread::spawn(move || {
        let error = serve().err().map_or("it ended".to_string(), |error| error.to_string());
        eprintln!("{name}: {error}");
        exit(1);
    });
    for line in stdin().lock().lines() {
        line?;
        let time = clock_gettime(ClockId::ProcessCPUTime);
        let nanos = time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64;
        writeln!(stdout(), "{nanos} {}", DISCARDED.load(Relaxed))?;
    }
    Ok(())
}
