//! Plays one script to the kernel: its lines in order, its times as far as a machine keeps them.
//!
//! The language is that of the library's scripts; what differs is that time is real. A packet must be what its line
//! says, and must come after what stands before it and before what stands behind it. That decides. Whether it came
//! at its line's time within the [tolerance](EARLY) is noted apart: a machine that has other things to do is late.
//! A packet that is late moves the times of all that follows.

use crate::calls::Caller;
use crate::kernel::device::now;
use crate::kernel::md5::Md5Key;
use crate::kernel::seat::{Beginning, Seat, TESTKITS_ENDS, USUAL_ENDS};
use crate::kernel::settings::Settings;
use crate::kernel::watchdog::{Watched, watch};
use crate::steps::{FLAGS, established, split, turn_to_peer, wait_until_asleep};
use crate::table::Answer;
use ackclock::time::Duration;
use ackclock_testkit::script::{
    self, Conversation, FIRST_TIMESTAMP, Failure, Packet, Seconds, Step, When,
};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;

/// By how many microseconds a packet may come before its line's time, and a hundredth of what its line waits more.
const EARLY: i64 = 8_000;
/// By how much after it, and an eighth of what its line waits more, by which the kernel's timers may be late (its
/// wheel has 64 slots for 8 times as long).
const LATE: i64 = 30_000;
const LATE_OF_WAIT: i64 = 8;
/// How much longer a packet is waited for, to say what the kernel does instead.
const PATIENCE: i64 = 700_000;
/// By how many milliseconds a timestamp may be another than the script's.
const TIMESTAMP_TOLERANCE: u32 = 200;

/// How a script went.
#[derive(Clone, Debug, Default)]
pub(crate) struct Played {
    /// What the kernel did else, if it did.
    pub(crate) failure: Option<Failure>,
    /// Packets and answers that were right and came at another time: the line, and what it was.
    pub(crate) at_other_times: Vec<String>,
}

/// What no kernel can be asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Unplayable(pub(crate) String);

/// What a script begins with.
///
/// # Errors
/// A flag that the kernel has not.
fn beginning(text: &str) -> Result<Beginning, Unplayable> {
    let (mut flags, mut is_v6) = (FLAGS.to_owned(), false);
    let mut needs_ends = text.contains("FO").then_some(USUAL_ENDS);
    for line in text.lines() {
        match line.split('#').next().unwrap_or_default().split_whitespace().collect::<Vec<_>>()[..]
        {
            [] => {}
            ["v6"] => is_v6 = true,
            ["testkit"] => needs_ends = needs_ends.map(|_| TESTKITS_ENDS),
            ["flags", more] => flags = format!("{flags},{more}"),
            ["unplayable", ref reason @ ..] => return Err(Unplayable(reason.join(" "))),
            _ => break,
        }
    }
    let settings = Settings::read(&flags).map_err(Unplayable)?;
    Ok(Beginning { settings, is_v6, needs_ends })
}

/// Plays a script in this seat.
///
/// # Errors
/// A flag that the kernel has not.
pub(crate) fn play(seat: &mut Seat, text: &str) -> Result<Played, Unplayable> {
    let beginning = beginning(text)?;
    let caller = seat.begin(&beginning).map_err(Unplayable)?;
    let mut session = Session::new(seat, caller);
    session.key = beginning.settings.md5_key;
    let failure = script::play(text, &mut session).err();
    session.leave();
    let late = std::mem::take(&mut session.at_other_times);
    Ok(Played { failure, at_other_times: late })
}

/// A call in a second thread.
struct Waiting {
    thread: JoinHandle<()>,
    watched: Arc<Watched>,
    answer: Receiver<Result<(Answer, isize, i64), String>>,
}

struct Session<'s> {
    seat: &'s Seat,
    caller: Caller,
    conversations: Vec<Conversation>,
    current: usize,
    begin: i64,
    /// When the script's first line was to happen, later by what packets came late.
    origin: i64,
    /// When the last line was to happen.
    nominal: i64,
    /// How long the last line waited.
    waited: i64,
    /// Packets that no line has asked for yet, and when they came.
    queue: VecDeque<(i64, Vec<u8>)>,
    waiting: Option<Waiting>,
    key: Option<Md5Key>,
    /// What the kernel's timestamps were where the script says another number.
    echoes: BTreeMap<u32, u32>,
    at_other_times: Vec<String>,
    log: Vec<String>,
}

impl script::Player for Session<'_> {
    fn step(&mut self, when: When, step: &Step<'_>) -> Result<(), String> {
        let micros = |time: Duration| time.as_micros() as i64;
        let before = self.nominal;
        self.nominal = match when {
            When::After(after) => self.nominal + micros(after),
            When::At(time) => self.origin + micros(time),
        };
        self.waited = (self.nominal - before).max(0);
        match step {
            Step::Sent(packet) => return self.expect(packet),
            Step::Call(call) if call.starts_with("done") => return self.done(call),
            _ => {}
        }
        self.wait_until(self.nominal);
        if self.waited > EARLY {
            self.nothing_is_left()?;
        }
        match step {
            Step::Arrives(packet) => {
                let packet = self.with_the_kernels_timestamp(packet);
                let (packet, mut bytes) = self.conversations[self.current].write(&packet)?;
                if let Some(key) = &self.key {
                    key.sign(&packet, &mut bytes);
                }
                self.inject(&bytes, format!("< {packet}"))
            }
            Step::Icmp(error) => {
                let bytes = self.conversations[self.current].write_error(error)?;
                self.inject(&bytes, error.to_string())
            }
            Step::Call(call) => self.call(call),
            Step::Quiet | Step::Sent(_) => Ok(()),
        }
    }

    fn end(&mut self) -> Result<(), String> {
        if self.waiting.is_some() {
            return Err("a call still waits".into());
        }
        self.drain();
        self.nothing_is_left()
    }

    fn packets(&self) -> &[String] {
        &self.log
    }
}

impl<'s> Session<'s> {
    fn new(seat: &'s Seat, caller: Caller) -> Self {
        // What came for nobody is gone.
        seat.device.receive(caller.remote.ip());
        let begin = now();
        let conversations = vec![Conversation::new(caller.local, caller.remote)];
        Session {
            seat,
            caller,
            conversations,
            current: 0,
            begin,
            origin: begin,
            nominal: begin,
            waited: 0,
            queue: VecDeque::new(),
            waiting: None,
            key: None,
            echoes: BTreeMap::new(),
            at_other_times: Vec::new(),
            log: Vec::new(),
        }
    }

    fn drain(&mut self) {
        while let Some(packet) = self.seat.device.receive(self.caller.remote.ip()) {
            self.queue.push_back((now(), packet));
        }
    }

    fn wait_until(&mut self, time: i64) {
        self.drain();
        while now() < time {
            self.seat.device.wait(time - now());
            self.drain();
        }
    }

    /// The next packet, if it comes by then.
    fn next_packet(&mut self, deadline: i64) -> Option<(i64, Vec<u8>)> {
        self.drain();
        while self.queue.is_empty() && now() < deadline {
            self.seat.device.wait(deadline - now());
            self.drain();
        }
        self.queue.pop_front()
    }

    fn nothing_is_left(&mut self) -> Result<(), String> {
        let Some((at, bytes)) = self.queue.pop_front() else { return Ok(()) };
        let (whose, packet) = self.read(at, &bytes)?;
        Err(format!("no line expects {} > {packet} to peer {whose}", self.shown(at)))
    }

    fn read(&mut self, at: i64, bytes: &[u8]) -> Result<(usize, Packet), String> {
        let port_at = if bytes[0] >> 4 == 4 { 22 } else { 42 };
        let port = u16::from_be_bytes([bytes[port_at], bytes[port_at + 1]]);
        let known = self.conversations.iter().position(|known| known.peers.port() == port);
        let whose = known.ok_or_else(|| format!("the kernel sent something to port {port}"))?;
        let millis = ((at - self.begin) / 1_000) as u32;
        let packet = self.conversations[whose].read(millis, bytes)?;
        if self.key.as_ref().is_some_and(|key| !key.has_signed(&packet, bytes)) {
            return Err(format!("the kernel has signed {packet} wrongly"));
        }
        self.log.push(format!("{} > {packet}", self.shown(at)));
        Ok((whose, packet))
    }

    fn expect(&mut self, expected: &Packet) -> Result<(), String> {
        let deadline =
            self.nominal + LATE + self.waited / LATE_OF_WAIT + PATIENCE + self.waited / 2;
        let Some((at, bytes)) = self.next_packet(deadline) else {
            return Err("the kernel sent nothing".into());
        };
        let (whose, sent) = self.read(at, &bytes)?;
        let compared = self.with_the_scripts_timestamp(expected, &sent);
        if whose != self.current || !expected.describes(&compared) {
            return Err(format!("the kernel sent {} > {sent} to peer {whose}", self.shown(at)));
        }
        self.note(at, || format!("> {expected}"));
        Ok(())
    }

    /// Notes what came at another time than its line says, and moves all that follows if it came late.
    fn note(&mut self, at: i64, what: impl Fn() -> String) {
        let late = at - self.nominal;
        if late < -(EARLY + self.waited / 100) || late > LATE + self.waited / LATE_OF_WAIT {
            let (at, line) = (self.shown(at), self.shown(self.nominal));
            self.at_other_times.push(format!("{}: at {at} instead of {line}", what()));
        }
        if self.waited > 0 && late > 0 {
            self.nominal += late;
            self.origin += late;
        }
    }

    /// `sent` with the timestamp that the script has, if it is about the same.
    fn with_the_scripts_timestamp(&mut self, expected: &Packet, sent: &Packet) -> Packet {
        let mut compared = *sent;
        let (Some(expected), Some(options)) = (expected.options, &mut compared.options) else {
            return compared;
        };
        if let (Some(written), Some(told)) = (expected.timestamps, &mut options.timestamps) {
            let apart = told.value.wrapping_sub(written.value).wrapping_add(TIMESTAMP_TOLERANCE);
            if apart <= 2 * TIMESTAMP_TOLERANCE {
                self.echoes.insert(written.value, told.value);
                told.value = written.value;
            }
        }
        compared
    }

    /// The packet with the echo that the kernel needs to see.
    fn with_the_kernels_timestamp(&self, packet: &Packet) -> Packet {
        let mut packet = *packet;
        if let Some(timestamps) = packet.options.as_mut().and_then(|o| o.timestamps.as_mut()) {
            let told = self.echoes.get(&timestamps.echo).copied();
            timestamps.echo = told.unwrap_or(timestamps.echo);
        }
        packet
    }

    fn inject(&mut self, bytes: &[u8], shown: String) -> Result<(), String> {
        self.seat.sockets.delay_acks();
        self.log.push(format!("{} {shown}", self.shown(now())));
        self.seat.device.send(bytes).map_err(|error| error.to_string())
    }

    fn call(&mut self, text: &str) -> Result<(), String> {
        let (call, expected) = split(text);
        let words: Vec<&str> = call.split_whitespace().collect();
        match words[..] {
            ["v6" | "testkit"] | ["flags", _] => Ok(()),
            // Whatever the kernel sends.
            ["skip"] => self.skip(),
            ["peer", n] => {
                self.current = turn_to_peer(&mut self.conversations, n)?;
                Ok(())
            }
            ["established"] => self.establish(),
            ["again"] => {
                let Conversation { ours, peers, .. } = self.conversations[self.current];
                self.conversations[self.current] = Conversation::new(ours, peers);
                Ok(())
            }
            ["start", ref call @ ..] => self.start(call),
            _ => {
                self.log.push(format!("{} {text}", self.shown(now())));
                let (answer, usual) = self.seat.watched.call(|| self.caller.call(&words))?;
                self.caller.compare(answer, usual, expected)
            }
        }
    }

    fn skip(&mut self) -> Result<(), String> {
        let packet = self.next_packet(self.nominal + LATE + PATIENCE);
        let (at, bytes) = packet.ok_or("the kernel sent nothing")?;
        let (_, sent) = self.read(at, &bytes)?;
        if let Some(timestamps) = sent.options.and_then(|options| options.timestamps) {
            let nominal = FIRST_TIMESTAMP + ((self.nominal - self.origin) / 1_000) as u32;
            self.echoes.insert(nominal, timestamps.value);
        }
        Ok(())
    }

    fn establish(&mut self) -> Result<(), String> {
        for line in established(self.caller.local.is_ipv6()) {
            Step::parse(&line)
                .and_then(|(when, step)| script::Player::step(self, when, &step))
                .map_err(|problem| format!("{line}: {problem}"))?;
        }
        Ok(())
    }

    fn start(&mut self, call: &[&str]) -> Result<(), String> {
        let call: Vec<String> = call.iter().map(|word| (*word).to_owned()).collect();
        let caller = self.caller.clone();
        let (tell_id, id) = channel();
        let (tell, answer) = channel();
        let thread = std::thread::spawn(move || {
            let watched = watch();
            // SAFETY: it only asks for this thread's number.
            let _ = tell_id.send((unsafe { libc::gettid() }, watched.clone()));
            let words: Vec<&str> = call.iter().map(String::as_str).collect();
            let answer = caller.call(&words);
            let _ = tell.send(answer.map(|(answer, usual)| (answer, usual, now())));
            watched.forget();
        });
        let (id, watched) = id.recv().map_err(|error| error.to_string())?;
        self.waiting = Some(Waiting { thread, watched, answer });
        wait_until_asleep(id)
    }

    fn done(&mut self, text: &str) -> Result<(), String> {
        let (_, expected) = split(text);
        let Waiting { thread, watched, answer } =
            self.waiting.take().ok_or("no call was started")?;
        let patience = self.nominal - now() + LATE + self.waited / LATE_OF_WAIT + PATIENCE;
        let patience = std::time::Duration::from_micros(patience.max(0) as u64);
        let told = answer.recv_timeout(patience);
        if told.is_err() {
            watched.end();
        }
        let _ = thread.join();
        let (answer, usual, at) = told.map_err(|_| "it still waits")??;
        self.note(at, || text.into());
        self.caller.compare(answer, usual, expected)
    }

    /// Closes what the script has left open.
    fn leave(&mut self) {
        if let Some(Waiting { thread, watched, .. }) = self.waiting.take() {
            watched.end();
            let _ = thread.join();
        }
        self.caller.close_all();
    }

    fn shown(&self, at: i64) -> Seconds {
        Seconds(Duration::from_micros((at - self.begin).max(0) as u64))
    }
}
