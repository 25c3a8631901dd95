//! What the library does in a story: a script as tests have them, with its packets and answers.

use super::draw::Story;
use crate::calls::Caller;
use crate::steps::{FLAGS, OUR_PORT, PEER_PORT, established};
use crate::table::Table;
use crate::words::error_name;
// Its one symbol is linked by its name.
use ackclock::time::Duration;
use ackclock_packetdrill as _;
use ackclock_testkit::script::{Conversation, Packet, Seconds, Step};
use std::ffi::{c_char, c_int};
use std::net::SocketAddr;

const OURS: [u8; 4] = [192, 168, 0, 1];
const PEERS: [u8; 4] = [192, 0, 2, 1];
/// How far in microseconds the library's timers and the story's lines are apart: the kernel's timers are late by up to so
/// much.
const APART: i64 = 25_000;
/// Longest time after a line in which what is sent is its answer.
const AT_ONCE: i64 = 500;
unsafe extern "C" {
    fn packetdrill_interface_init(flags: *const c_char, out: *mut usize);
}

/// What happened, and when.
enum Event {
    Line(String),
    Sent(Packet),
}

struct Play {
    library: Table,
    caller: Caller,
    conversation: Conversation,
    begin: i64,
    events: Vec<(i64, Event)>,
}

/// The script of a story; none if what happens is too near to something else for real time.
pub(crate) fn script(story: &Story) -> Option<String> {
    let flags = format!("{FLAGS},judge=off,{}", story.flags);
    let library = Table::new(packetdrill_interface_init, &flags);
    let (local, remote) =
        (SocketAddr::from((OURS, OUR_PORT)), SocketAddr::from((PEERS, PEER_PORT)));
    let mut play = Play {
        library,
        caller: Caller::new(library, local, remote),
        conversation: Conversation::new(local, remote),
        begin: library.clock(),
        events: Vec::new(),
    };
    let told = play.run(story);
    play.caller.close_all();
    library.free();
    told.unwrap_or_else(|problem| panic!("{problem}: {story:?}"))
}

impl Play {
    fn run(&mut self, story: &Story) -> Result<Option<String>, String> {
        for line in established(false) {
            let (when, step) = Step::parse(&line)?;
            if let ackclock_testkit::script::When::After(after) = when {
                self.sleep(after.as_micros() as u32);
            }
            match step {
                Step::Sent(_) => {
                    let (_, bytes) = self.library.receive_packet().ok_or("no SYN-ACK")?;
                    self.conversation.read(0, &bytes)?;
                }
                _ => drop(self.act(&line)?),
            }
        }
        self.act("nonblock c on")?;
        let first = self.library.clock();
        for stimulus in &story.lines {
            self.sleep(stimulus.after * 1_000);
            let at = self.library.clock();
            let line = self.act(&stimulus.line)?;
            self.events.push((at, Event::Line(line)));
        }
        self.sleep(story.rest * 1_000);
        let end = self.library.clock();
        self.events.push((end, Event::Line("quiet".into())));
        while let Some((at, bytes)) = self.library.receive_packet().filter(|(at, _)| *at < end) {
            let millis = ((at - self.begin) / 1_000) as u32;
            let packet = self.conversation.read(millis, &bytes)?;
            self.events.push((at, Event::Sent(packet)));
        }
        self.events.sort_by_key(|(at, _)| *at);
        Ok(self.has_room().then(|| self.text(story, first)))
    }

    fn sleep(&self, micros: u32) {
        let _ = self.library.usleep(micros);
    }

    /// Does what a line says; the line with its answer.
    fn act(&mut self, line: &str) -> Result<String, String> {
        let (_, step) = Step::parse(line)?;
        match step {
            Step::Arrives(packet) => {
                let (_, bytes) = self.conversation.write(&packet)?;
                let _ = self.library.netdev_send(bytes.as_ptr(), bytes.len());
                Ok(line.into())
            }
            Step::Call(text) => {
                let (call, name) = text
                    .split_once(" = fd ")
                    .map_or((text, None), |(call, name)| (call, Some(name)));
                let words: Vec<&str> = call.split_whitespace().collect();
                let (answer, usual) = self.caller.call(&words)?;
                if let (Some(name), Ok(descriptor)) = (name, answer) {
                    self.caller.name(name, descriptor as c_int);
                }
                Ok(match answer {
                    Ok(answer) if answer == usual => line.into(),
                    Ok(answer) => format!("{line} = {answer}"),
                    Err(number) => {
                        let name =
                            error_name(number).ok_or_else(|| format!("no name of {number}"))?;
                        format!("{line} = {name}")
                    }
                })
            }
            Step::Sent(_) | Step::Icmp(_) | Step::Quiet => Ok(line.into()),
        }
    }

    /// Whether no line follows a timer of the library so soon that the kernel's may be later than it.
    fn has_room(&self) -> bool {
        let mut line = 0;
        let mut events = self.events.iter().peekable();
        while let Some((at, event)) = events.next() {
            match event {
                Event::Line(_) => line = *at,
                Event::Sent(_) if at - line < AT_ONCE => {}
                Event::Sent(_) => {
                    let next = events.clone().find(|(_, event)| matches!(event, Event::Line(_)));
                    if next.is_some_and(|(next, _)| next - at < APART) {
                        return false;
                    }
                }
            }
        }
        true
    }

    fn text(&self, story: &Story, begin: i64) -> String {
        let mut text = format!("flags {}\nestablished\nnonblock c on\n", story.flags);
        let mut last = begin;
        for (at, event) in &self.events {
            let line = match event {
                Event::Line(line) => line.clone(),
                Event::Sent(packet) => {
                    format!("> {}", Packet { window: None, key_ids: None, ..*packet })
                }
            };
            let apart = at - last;
            // A call takes some microseconds of the library's time.
            if apart > AT_ONCE {
                // As exactly as the scripts of the library are played.
                let rounded = Duration::from_micros(((apart + 50) / 100 * 100) as u64);
                text += &format!("+{} ", Seconds(rounded));
            }
            text += &line;
            text += "\n";
            last = *at;
        }
        text
    }
}
