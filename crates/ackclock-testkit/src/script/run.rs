//! Runs a script, line by line, against one stack.

use super::conversation::{Conversation, FIRST_TIMESTAMP, OUR_STREAM, PEER_STREAM};
use super::icmp::IcmpError;
use super::info::field;
use super::packet::{Packet, number};
use super::play::{Failure, Player, Step, play};
use super::setting::{Settings, switch};
use super::signing::Signing;
use super::time::{Seconds, When, seconds};
use super::told::told;
use ackclock::congestion::BuiltIn;
use ackclock::seq::SeqNumber;
use ackclock::stack::{
    Capabilities, Cidr, Handle, KeyScope, ListenConfig, Listener, Stack, StackConfig, Storage,
};
use ackclock::tcp::{Info, ReceiveError};
use ackclock::time::{Duration, Instant};
use ackclock::wire::ao::AoKey;
use ackclock::wire::{Flags, Options, Timestamps};
use ackclock_judge::{Call, Findings, Judge};
use std::collections::VecDeque;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

const OUR_ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
const PEER_ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2));
const OUR_PORT: u16 = 5_000;
const PEER_PORT: u16 = 6_000;

/// The stack's time when a script begins.
const START: Instant = Instant::from_secs(100);
/// What `established` does by itself: the peer's timestamp, MSS and half the round-trip time.
const PEER_TIMESTAMP: u32 = 100;
const PEER_MSS: u16 = 1_000;
const ROUND_TRIP: Duration = Duration::from_millis(10);
/// More timers than any script waits for.
const MOST_TIMERS: u32 = 100_000;
/// What ends a script that would not end.
const ENDLESS: &str = "packets are sent, or timers fire, again and again";
/// More packets than any stack sends at once.
const MOST_PACKETS: u32 = 5_000;
/// How long a stack that is only stimulated is watched when the script is over.
const AFTERWARDS: Duration = Duration::from_secs(3);

/// Runs a script against a stack of its own.
///
/// # Errors
/// The first line that cannot be read or does not hold.
pub fn run(script: &str) -> Result<(), Failure> {
    play(script, &mut Runner::new())
}

/// A packet that the stack has sent.
struct Sent {
    at: Instant,
    packet: Packet,
}

/// Plays scripts against one stack, by the calls of its public API.
pub(super) struct Runner {
    settings: Settings,
    /// There is one as soon as something happens.
    stack: Option<Stack<'static, BuiltIn>>,
    listener: Option<Listener>,
    handle: Option<Handle>,
    now: Instant,
    conversation: Conversation,
    signing: Signing,
    written: u64,
    read: u64,
    /// What the stack has sent that no line has expected yet.
    sent: VecDeque<Sent>,
    log: Vec<String>,
    /// Watches all that passes; what it finds the script must have named.
    judge: Judge,
    /// Only the peer and the application are played: whatever the stack sends is right.
    stimulates: bool,
    /// Packets or timers had no end.
    is_endless: bool,
}

impl Player for Runner {
    fn step(&mut self, when: When, step: &Step<'_>) -> Result<(), String> {
        let at = match when {
            When::After(after) => self.now + after,
            When::At(time) => START + time,
        };
        if self.stimulates {
            self.stimulate(at, step);
            return Ok(());
        }
        if at < self.now {
            return Err(format!("it is {} already", shown(self.now)));
        }
        if let Step::Sent(expected) = step {
            return self.expect(at, expected);
        }
        self.wait_until(at)?;
        self.expect_silence()?;
        match step {
            Step::Sent(_) | Step::Quiet => Ok(()),
            Step::Arrives(packet) => self.inject(packet),
            Step::Icmp(error) => self.inject_error(error),
            Step::Call(call) => match call.split_whitespace().collect::<Vec<_>>()[..] {
                ["set", ref setting @ ..] if self.stack.is_none() => self.settings.set(setting),
                ["set", ..] => Err("settings come before everything else".into()),
                ref words => self.call(words).and_then(|()| self.collect()),
            },
        }
    }

    fn end(&mut self) -> Result<(), String> {
        if self.stimulates {
            self.go_on_until(self.now + AFTERWARDS);
            return Ok(());
        }
        self.expect_silence()?;
        match self.judge.findings().verdicts.as_slice() {
            [] => Ok(()),
            verdicts => {
                let lines: Vec<String> = verdicts.iter().map(ToString::to_string).collect();
                Err(format!("the judge says\n{}", lines.join("\n")))
            }
        }
    }

    fn packets(&self) -> &[String] {
        &self.log
    }
}

impl Runner {
    fn new() -> Self {
        Runner {
            settings: Settings::default(),
            stack: None,
            listener: None,
            handle: None,
            now: START,
            conversation: Conversation::new(
                SocketAddr::new(OUR_ADDRESS, OUR_PORT),
                SocketAddr::new(PEER_ADDRESS, PEER_PORT),
            ),
            signing: Signing::default(),
            written: 0,
            read: 0,
            sent: VecDeque::new(),
            log: Vec::new(),
            judge: Judge::new(ackclock_judge::Settings {
                reaction: Duration::ZERO,
                ..Default::default()
            }),
            stimulates: false,
            is_endless: false,
        }
    }

    // ---- without expectations ----

    /// One for [`stimulate`](super::stimulate).
    pub(super) fn stimulating() -> Self {
        Runner { stimulates: true, ..Runner::new() }
    }

    /// What the judge has found.
    ///
    /// # Errors
    /// The stack sent packets without an end, and the judge has not said why.
    pub(super) fn into_findings(self) -> Result<Findings, String> {
        let findings = self.judge.finish(self.now);
        match self.is_endless && findings.is_clean() {
            true => Err("packets or timers without an end".into()),
            false => Ok(findings),
        }
    }

    /// Plays a step as far as it can be played to this stack.
    fn stimulate(&mut self, at: Instant, step: &Step<'_>) {
        if self.is_endless {
            return;
        }
        self.go_on_until(at);
        let played = match step {
            Step::Sent(_) | Step::Quiet => Ok(()),
            Step::Arrives(packet) => self.inject(packet),
            Step::Icmp(error) => self.inject_error(error),
            Step::Call(call) => match call.split_whitespace().collect::<Vec<_>>()[..] {
                ["set", ref setting @ ..] => {
                    let set = self.settings.set(setting);
                    self.judge = Judge::new(told(&self.settings.connection, &self.settings.law));
                    set
                }
                ref words => {
                    let called = self.call(words);
                    self.collect().and(called)
                }
            },
        };
        // What the stack has not done, the script cannot go on from; the judge has seen it.
        self.is_endless |= played == Err(ENDLESS.into());
        self.sent.clear();
    }

    fn go_on_until(&mut self, at: Instant) {
        for _ in 0..MOST_TIMERS {
            let waited = self.wait_until(at);
            self.sent.clear();
            self.is_endless |= waited == Err(ENDLESS.into());
            if waited.is_err() || self.now >= at {
                break;
            }
        }
        self.now = self.now.max(at);
    }

    // ---- time and what is sent ----

    /// Lets time pass until the stack sends something, at most until `at`.
    fn wait_until(&mut self, at: Instant) -> Result<(), String> {
        for _ in 0..MOST_TIMERS {
            let due = self.stack.as_ref().map_or(Instant::FAR_FUTURE, Stack::poll_at);
            if !self.sent.is_empty() {
                return Ok(());
            }
            if due > at {
                self.now = at;
                return Ok(());
            }
            self.now = self.now.max(due);
            let now = self.now;
            self.stack().on_timeout(now);
            self.collect()?;
        }
        Err(ENDLESS.into())
    }

    fn expect(&mut self, at: Instant, expected: &Packet) -> Result<(), String> {
        self.wait_until(at)?;
        let shown_expected = format!("expected {} > {expected}", shown(at));
        let Some(sent) = self.sent.pop_front() else {
            let next = self.stack.as_ref().map_or(Instant::FAR_FUTURE, Stack::poll_at);
            let next = match next.is_never() {
                true => "no timer is pending".into(),
                false => format!("the next timer is due at {}", shown(next)),
            };
            return Err(format!("{shown_expected}\ncame     nothing; {next}"));
        };
        if sent.at == at && expected.describes(&sent.packet) {
            return Ok(());
        }
        Err(format!("{shown_expected}\ncame     {} > {}", shown(sent.at), sent.packet))
    }

    fn expect_silence(&self) -> Result<(), String> {
        self.sent.front().map_or(Ok(()), |sent| {
            Err(format!("no line expects {} > {}", shown(sent.at), sent.packet))
        })
    }

    /// Takes everything that the stack wants to send.
    fn collect(&mut self) -> Result<(), String> {
        let now = self.now;
        for _ in 0..MOST_PACKETS {
            let mut bytes = None;
            self.stack().transmit(now, &mut |transmit| {
                let mut packet = vec![0; transmit.len()];
                bytes = transmit.copy_to(&mut packet).map(|_| packet);
                Ok(())
            });
            let Some(bytes) = bytes else {
                return Ok(());
            };
            self.judge.on_sent(now, &bytes);
            self.signing.check(&self.settings, &bytes)?;
            let millis = now.saturating_since(START).as_millis() as u32;
            let packet = self.conversation.read(millis, &bytes)?;
            self.log.push(format!("{} > {packet}", shown(now)));
            self.sent.push_back(Sent { at: now, packet });
        }
        Err(ENDLESS.into())
    }

    // ---- the peer and the routers ----

    fn inject(&mut self, packet: &Packet) -> Result<(), String> {
        let (kind, ids) = (packet.options.and_then(|options| options.signature), packet.key_ids);
        let (packet, mut bytes) = self.conversation.write(packet)?;
        if let Some(kind) = kind {
            self.signing.sign(&self.settings, &mut bytes, (kind, ids))?;
        }
        self.arrive(&bytes, format!("< {packet}"))
    }

    fn inject_error(&mut self, error: &IcmpError) -> Result<(), String> {
        let bytes = self.conversation.write_error(error)?;
        self.arrive(&bytes, error.to_string())
    }

    fn arrive(&mut self, bytes: &[u8], packet: String) -> Result<(), String> {
        self.log.push(format!("{} {packet}", shown(self.now)));
        let now = self.now;
        self.judge.on_received(now, bytes);
        self.stack().on_packet(now, bytes);
        self.collect()
    }

    // ---- the application ----

    fn stack(&mut self) -> &mut Stack<'static, BuiltIn> {
        let Settings { law, mtu, fast_open_key, md5_key, .. } = self.settings;
        let ao_keys = &self.settings.ao_keys;
        self.stack.get_or_insert_with(|| {
            let config = StackConfig::new(Capabilities::with_mtu(mtu), [1, 2]);
            let mut stack = Stack::new(config, law, Storage::growing()).expect("a usable MTU");
            stack
                .add_address(Cidr { address: OUR_ADDRESS, prefix: 24 })
                .expect("a stack takes an address");
            if let Some(key) = fast_open_key {
                stack.set_fast_open_keys(key, None);
            }
            if let Some(key) = md5_key {
                let peer = KeyScope::of(Cidr { address: PEER_ADDRESS, prefix: 32 });
                stack.set_md5_key(START, &peer, &key).expect("a stack takes a key");
            }
            for key in ao_keys.iter().flat_map(|key| AoKey::read(key)) {
                let peer = KeyScope::of(Cidr { address: PEER_ADDRESS, prefix: 32 });
                stack.add_ao_key(START, &peer, &key).expect("a stack takes a key");
            }
            stack
        })
    }

    fn tell_judge(&mut self, call: Call) {
        let ends =
            (SocketAddr::new(OUR_ADDRESS, OUR_PORT), SocketAddr::new(PEER_ADDRESS, PEER_PORT));
        self.judge.on_call(self.now, ends.0, ends.1, call);
    }

    fn handle(&self) -> Result<Handle, String> {
        self.handle.ok_or_else(|| "there is no open connection".into())
    }

    fn info(&mut self) -> Result<Info, String> {
        let (now, handle) = (self.now, self.handle()?);
        self.stack().info(now, handle).ok_or_else(|| "the handle is void".into())
    }

    fn call(&mut self, words: &[&str]) -> Result<(), String> {
        let now = self.now;
        match *words {
            ["connect"] => self.connect(),
            ["connect", "with", n] => {
                self.connect()?;
                self.write(number(n)?, number(n)?, false)
            }
            ["listen"] => self.listen(),
            ["accept"] => self.accept(),
            ["established", ref rest @ ..] => self.establish(rest),
            ["write", n] => self.write(number(n)?, number(n)?, false),
            ["write", n, "takes", taken] => self.write(number(n)?, number(taken)?, false),
            ["urgent", n] => self.write(number(n)?, number(n)?, true),
            ["read", "end"] => self.read_end(),
            ["read", n] => self.read(number(n)?),
            ["urgent_ahead", expected] => {
                let handle = self.handle()?;
                let ahead = self.stack().urgent_ahead(handle);
                same(expected, ahead.map_or("none".into(), |bytes| bytes.to_string()))
            }
            ["shutdown"] => {
                let handle = self.handle()?;
                self.stack().shutdown(now, handle).map_err(|error| error.to_string())?;
                self.tell_judge(Call::Close);
                Ok(())
            }
            ["close"] => {
                let handle = self.handle()?;
                self.stack().close(now, handle).map_err(|error| error.to_string())?;
                self.tell_judge(Call::CloseBoth);
                Ok(())
            }
            ["abort"] => {
                let handle = self.handle()?;
                self.stack().abort(now, handle).map_err(|error| error.to_string())?;
                self.tell_judge(Call::Abort);
                Ok(())
            }
            ["user_timeout", time] => {
                let (handle, time) = (self.handle()?, Some(seconds(time)?));
                self.stack().set_user_timeout(now, handle, time).map_err(|error| error.to_string())
            }
            ["advertise_user_timeout", time] => {
                let (handle, time) = (self.handle()?, Some(seconds(time)?));
                self.stack()
                    .advertise_user_timeout(now, handle, time)
                    .map_err(|error| error.to_string())
            }
            ["nagle", value] => {
                let handle = self.handle()?;
                let nagle = value.parse().map_err(|error| format!("{value}: {error}"))?;
                self.stack().set_nagle(now, handle, nagle).map_err(|error| error.to_string())
            }
            ["ao_rnext_key", recv_id] => {
                let (handle, id) = (self.handle()?, number(recv_id)?);
                self.stack().set_ao_rnext_key(now, handle, id).map_err(|error| error.to_string())
            }
            ["ao_current_key", send_id] => {
                let (handle, id) = (self.handle()?, number(send_id)?);
                self.stack().set_ao_current_key(now, handle, id).map_err(|error| error.to_string())
            }
            ["push"] => {
                let handle = self.handle()?;
                self.stack().push(now, handle).map_err(|error| error.to_string())
            }
            ["cork", value] => {
                let (handle, on) = (self.handle()?, switch(value)?);
                self.stack().set_cork(now, handle, on).map_err(|error| error.to_string())
            }
            ["state", expected] => same(expected, self.info()?.state.to_string()),
            ["error", expected] => {
                let error = self.info()?.error;
                same(expected, error.map_or("none".into(), |error| format!("{error:?}")))
            }
            ["info", name, expected] => {
                let value = field(&self.info()?, name)?;
                same(expected, value.to_string())
            }
            _ => Err(format!("`{}` is no step", words.join(" "))),
        }
    }

    fn connect(&mut self) -> Result<(), String> {
        let (now, config) = (self.now, self.settings.connection);
        let local = Some(SocketAddr::new(OUR_ADDRESS, OUR_PORT));
        let remote = SocketAddr::new(PEER_ADDRESS, PEER_PORT);
        let handle = self.stack().connect(now, remote, local, &config);
        self.handle = Some(handle.map_err(|error| error.to_string())?);
        Ok(())
    }

    fn listen(&mut self) -> Result<(), String> {
        let mut config = ListenConfig::new(SocketAddr::new(OUR_ADDRESS, OUR_PORT));
        config.connection = self.settings.connection;
        config.set_fast_open(self.settings.connection.fast_open);
        let listener = self.stack().listen(config).map_err(|error| error.to_string())?;
        self.listener = Some(listener);
        Ok(())
    }

    fn accept(&mut self) -> Result<(), String> {
        let listener = self.listener.ok_or("nothing listens")?;
        let handle = self.stack().accept(listener).ok_or("no connection to accept")?;
        self.handle = Some(handle);
        Ok(())
    }

    /// A whole handshake.
    fn establish(&mut self, words: &[&str]) -> Result<(), String> {
        let (passive, words) = match *words {
            ["passive", ref rest @ ..] => (true, rest),
            ref rest => (false, rest),
        };
        match *words {
            [] => {}
            ["win", bytes] => self.conversation.peer_window = number(bytes)?,
            _ => return Err(format!("`{}` does not follow `established`", words.join(" "))),
        }
        let config = self.settings.connection;
        let options = Options {
            mss: Some(PEER_MSS),
            sack_permitted: config.sack,
            window_scale: config.window_scaling.then_some(0),
            timestamps: config.timestamps.then_some(Timestamps { value: PEER_TIMESTAMP, echo: 0 }),
            ..Options::default()
        };
        let syn = Packet { flags: Flags::SYN, options: Some(options), ..Packet::default() };
        let mut with_echo = options;
        if let Some(timestamps) = &mut with_echo.timestamps {
            timestamps.echo = FIRST_TIMESTAMP + self.now.saturating_since(START).as_millis() as u32;
        }
        let one = SeqNumber(1);
        if passive {
            self.listen()?;
            self.inject(&syn)?;
            self.sent.clear();
            self.now += ROUND_TRIP;
            let timestamps = with_echo.timestamps;
            let options = Some(Options { timestamps, ..Options::default() });
            let flags = Flags::ACK;
            self.inject(&Packet { flags, seq: one, ack: one, options, ..Packet::default() })?;
            self.accept()?;
        } else {
            self.connect()?;
            self.collect()?;
            self.now += ROUND_TRIP;
            let flags = Flags::SYN | Flags::ACK;
            self.inject(&Packet { flags, ack: one, options: Some(with_echo), ..syn })?;
        }
        self.sent.clear();
        same("ESTABLISHED", self.info()?.state.to_string())
    }

    fn write(&mut self, len: usize, taken: usize, urgent: bool) -> Result<(), String> {
        let mut bytes = vec![0; len];
        OUR_STREAM.fill(self.written, &mut bytes);
        let (now, handle) = (self.now, self.handle()?);
        let stack = self.stack();
        let result = match urgent {
            true => stack.send_urgent(now, handle, &bytes),
            false => stack.send(now, handle, &bytes),
        };
        let n = result.map_err(|error| error.to_string())?;
        self.written += n as u64;
        self.tell_judge(Call::Write(n as u64));
        if urgent && n > 0 {
            self.tell_judge(Call::Urgent);
        }
        same(&taken.to_string(), n.to_string())
    }

    fn read(&mut self, len: usize) -> Result<(), String> {
        let mut bytes = vec![0; len];
        let (now, handle) = (self.now, self.handle()?);
        let n = match self.stack().receive(now, handle, &mut bytes) {
            Err(ReceiveError::WouldBlock) => 0,
            result => result.map_err(|error| error.to_string())?,
        };
        if let Some(at) = PEER_STREAM.first_mismatch(self.read, &bytes[..n]) {
            return Err(format!("byte {} of the peer's stream is wrong", self.read + at as u64));
        }
        self.read += n as u64;
        self.tell_judge(Call::Read(n as u64));
        same(&len.to_string(), n.to_string())
    }

    fn read_end(&mut self) -> Result<(), String> {
        let (now, handle) = (self.now, self.handle()?);
        match self.stack().receive(now, handle, &mut [0]) {
            Err(ReceiveError::Finished) => Ok(()),
            Ok(n) => {
                self.read += n as u64;
                self.tell_judge(Call::Read(n as u64));
                Err(format!("expected the end, {n} bytes came"))
            }
            Err(error) => Err(format!("expected the end, but: {error}")),
        }
    }
}

fn same(expected: &str, found: String) -> Result<(), String> {
    if expected == found { Ok(()) } else { Err(format!("expected {expected}\nfound    {found}")) }
}

/// A time of the script.
fn shown(at: Instant) -> Seconds {
    Seconds(at.saturating_since(START))
}
