//! Plays scripts against the library, as packetdrill does: one thread that plays, and one for calls
//! that wait.
//!
//! Times, segments and ICMP errors are written as [`ackclock_testkit::script`] says. These are the steps
//! of this player alone:
//!
//! | step | means |
//! | --- | --- |
//! | `peer N` | segments from now on are those of the peer's port 6000 + N |
//! | `again` | another connection between the same ports begins |
//! | `flags TEXT` | the library's flags, before everything else |
//! | `v6` | addresses are IPv6, before everything else |
//! | `CALL` | the call answers what was asked for (bytes read or written) or 0 |
//! | `CALL = RESULT` | it answers this number, these events, or -1 and this `errno` |
//! | `CALL = fd NAME` | it answers a descriptor |
//! | `start CALL` | the second thread makes the call, and sleeps in it |
//! | `done`, `done = RESULT` | it returned at this time |
//! | `established` | a passive open: the listener is `s`, the connection `c`; a round trip of 10 ms; the peer has an MSS of 1000 and SACK |
//!
//! Without other flags there are neither timestamps nor window scaling, 60,000 bytes of receive
//! buffer, an initial window of 10 segments, and delayed acks of 40 ms from the start.

use crate::calls::Caller;
use crate::library::Library;
use crate::steps::{
    FLAGS, OUR_PORT, PEER_PORT, established, split, turn_to_peer, wait_until_asleep,
};
use crate::table::Answer;
use ackclock::wire::{Checksums, Protocol, parse_packet};
use ackclock_testkit::script::{self, Conversation, Failure, Packet, Seconds, Step, When};
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Each look at the clock moves it by a microsecond; more than any script looks.
const TOLERANCE: i64 = 100;
/// By how much a call may come after its line's time for the same reason.
const LATENESS: i64 = 40;

/// Plays a script.
///
/// # Panics
/// If a line cannot be read, or something else happens than it says.
#[track_caller]
pub(crate) fn check(script: &str) {
    script::keep(script);
    if let Err(failure) = play(script) {
        panic!("{failure}");
    }
}

/// Plays a script; what does not hold.
pub(crate) fn play(script: &str) -> Result<(), Failure> {
    script::play(script, &mut Player { flags: FLAGS.into(), is_v6: false, session: None })
}

/// Plays scripts by the calls of one library, which is made when a step needs it.
struct Player {
    flags: String,
    is_v6: bool,
    session: Option<Session>,
}

impl script::Player for Player {
    fn step(&mut self, when: When, step: &Step<'_>) -> Result<(), String> {
        let Player { flags, is_v6, session } = self;
        if let (None, Step::Call(setting)) = (&session, step) {
            match setting.split_whitespace().collect::<Vec<_>>()[..] {
                ["v6"] => {
                    *is_v6 = true;
                    return Ok(());
                }
                ["flags", more] => {
                    *flags = format!("{flags},{more}");
                    return Ok(());
                }
                _ => {}
            }
        }
        session.get_or_insert_with(|| Session::new(flags, *is_v6)).step(when, step)
    }

    fn end(&mut self) -> Result<(), String> {
        self.session.as_mut().ok_or("an empty script")?.end()
    }

    fn packets(&self) -> &[String] {
        self.session.as_ref().map_or(&[], |session| &session.log)
    }
}

/// A call in the second thread.
struct Waiting {
    thread: JoinHandle<()>,
    /// What it answered, what it should by default, and when.
    answer: Receiver<Result<(Answer, isize, i64), String>>,
}

/// The library, both ends of its connections, and the time.
struct Session {
    library: Library,
    caller: Caller,
    conversations: Vec<Conversation>,
    current: usize,
    begin: i64,
    now: i64,
    /// The script's time: when the last line was to happen.
    nominal: i64,
    waiting: Option<Waiting>,
    log: Vec<String>,
}

impl Session {
    fn new(flags: &str, is_v6: bool) -> Self {
        let library = Library::new(flags);
        let (ours, peers): (IpAddr, IpAddr) = match is_v6 {
            false => ([192, 168, 0, 1].into(), [192, 0, 2, 1].into()),
            true => (
                Ipv6Addr::new(0xfd3d, 0xfa7b, 0xd17d, 0, 0, 0, 0, 1).into(),
                Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1).into(),
            ),
        };
        let (local, remote) = (SocketAddr::new(ours, OUR_PORT), SocketAddr::new(peers, PEER_PORT));
        let begin = library.clock();
        Session {
            library,
            caller: Caller::new(*library, local, remote),
            conversations: vec![Conversation::new(local, remote)],
            current: 0,
            begin,
            now: begin,
            nominal: begin,
            waiting: None,
            log: Vec::new(),
        }
    }

    fn step(&mut self, when: When, step: &Step<'_>) -> Result<(), String> {
        let micros = |time: ackclock::time::Duration| time.as_micros() as i64;
        self.nominal = match when {
            When::After(after) => self.nominal + micros(after),
            When::At(time) => self.begin + micros(time),
        };
        if self.nominal > self.now {
            let _ = self.library.usleep((self.nominal - self.now) as u32);
            self.now = self.nominal;
        }
        match step {
            Step::Sent(packet) => self.expect(packet),
            Step::Arrives(packet) => {
                let (packet, bytes) = self.conversations[self.current].write(packet)?;
                self.inject(&bytes, format!("< {packet}"))
            }
            Step::Icmp(error) => {
                let bytes = self.conversations[self.current].write_error(error)?;
                self.inject(&bytes, error.to_string())
            }
            Step::Quiet => Ok(()),
            Step::Call(call) => self.call(call),
        }
    }

    fn call(&mut self, text: &str) -> Result<(), String> {
        let (call, expected) = split(text);
        let words: Vec<&str> = call.split_whitespace().collect();
        match words[..] {
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
            ["done"] => self.done(expected),
            _ => {
                let (answer, usual) = self.caller.call(&words)?;
                self.now = self.library.clock();
                self.caller.compare(answer, usual, expected)
            }
        }
    }

    fn inject(&mut self, bytes: &[u8], shown: String) -> Result<(), String> {
        self.log.push(format!("{} {shown}", self.shown(self.now)));
        self.library.netdev_send(bytes.as_ptr(), bytes.len()).map(|_| ()).map_err(|n| n.to_string())
    }

    fn expect(&mut self, expected: &Packet) -> Result<(), String> {
        let (at, whose, sent) = self.next_packet()?.ok_or("the stack sent nothing")?;
        let is_timely = (at - self.nominal).abs() <= TOLERANCE;
        if is_timely && whose == self.current && expected.describes(&sent) {
            return Ok(());
        }
        Err(format!("the stack sent {} > {sent} to peer {whose}", self.shown(at)))
    }

    /// When, to which peer and what.
    fn next_packet(&mut self) -> Result<Option<(i64, usize, Packet)>, String> {
        let Some((at, bytes)) = self.library.receive_packet() else {
            return Ok(None);
        };
        self.now = self.now.max(at);
        let parsed = parse_packet(&bytes, Checksums::default()).map_err(|e| e.to_string())?;
        let mut whose = self.current;
        if let Protocol::Tcp(segment) = parsed.protocol {
            let port = segment.header.destination_port;
            let known = self.conversations.iter().position(|known| known.peers.port() == port);
            whose = known.ok_or_else(|| format!("the stack sent something to port {port}"))?;
        }
        let millis = ((at - self.begin) / 1_000) as u32;
        let packet = self.conversations[whose].read(millis, &bytes)?;
        self.log.push(format!("{} > {packet}", self.shown(at)));
        Ok(Some((at, whose, packet)))
    }

    fn establish(&mut self) -> Result<(), String> {
        for line in established(self.caller.local.is_ipv6()) {
            Step::parse(&line)
                .and_then(|(when, step)| self.step(when, &step))
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
            // SAFETY: it only asks for this thread's number.
            let _ = tell_id.send(unsafe { libc::gettid() });
            let words: Vec<&str> = call.iter().map(String::as_str).collect();
            let answer = caller.call(&words);
            let now = caller.library.clock();
            let _ = tell.send(answer.map(|(answer, usual)| (answer, usual, now)));
        });
        let id = id.recv().map_err(|error| error.to_string())?;
        self.waiting = Some(Waiting { thread, answer });
        wait_until_asleep(id)
    }

    fn done(&mut self, expected: Option<&str>) -> Result<(), String> {
        let Waiting { thread, answer } = self.waiting.take().ok_or("no call was started")?;
        // A deadline counts from the call, which was some microseconds late.
        let _ = self.library.usleep(LATENESS as u32);
        self.now += LATENESS;
        let answer = answer.recv_timeout(Duration::from_secs(10)).map_err(|_| "it still waits")?;
        thread.join().map_err(|_| "the second thread failed")?;
        let (answer, usual, at) = answer?;
        self.now = self.now.max(at);
        if (at - self.nominal).abs() > TOLERANCE {
            return Err(format!("it returned at {}", self.shown(at)));
        }
        self.caller.compare(answer, usual, expected)
    }

    fn shown(&self, at: i64) -> Seconds {
        Seconds(ackclock::time::Duration::from_micros((at - self.begin) as u64))
    }

    /// Nothing was sent that no line expects.
    fn end(&mut self) -> Result<(), String> {
        if self.waiting.is_some() {
            return Err("a call still waits".into());
        }
        let now = self.now;
        match self.next_packet()? {
            Some((at, _, packet)) if at <= now => {
                return Err(format!("no line expects {} > {packet}", self.shown(at)));
            }
            _ => {}
        }
        self.caller.close_all();
        self.library.free();
        Ok(())
    }
}
