//! Runs a script, line by line, against one stack.

use super::info::field;
use super::packet::{Packet, number};
use super::setting::{Settings, switch};
use super::time::{Seconds, When};
use ackclock::apps::Pattern;
use ackclock::congestion::BuiltIn;
use ackclock::seq::{SeqNumber, SeqRange};
use ackclock::stack::{
    Capabilities, Cidr, Handle, ListenConfig, Listener, Stack, StackConfig, Storage,
};
use ackclock::tcp::{Info, ReceiveError};
use ackclock::time::{Duration, Instant};
use ackclock::wire::{
    Checksums, Ecn, Flags, Header, IpInfo, MAX_HEADER, Options, Protocol, SackBlocks, Segment,
    Timestamps, WriteChecksum, parse_packet, write_packet_header,
};
use std::collections::VecDeque;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

const OUR_ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
const PEER_ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2));
const OUR_PORT: u16 = 5_000;
const PEER_PORT: u16 = 6_000;

/// The stack's time when a script begins.
const START: Instant = Instant::from_secs(100);
/// What our timestamps read then.
const FIRST_TIMESTAMP: u32 = 1_000;
/// The peer's initial sequence number.
const PEER_ISN: SeqNumber = SeqNumber(0_u32.wrapping_sub(5_000));
/// The peer's window until the script tells one.
const PEER_WINDOW: u16 = 60_000;
/// What `established` does by itself: the peer's timestamp, MSS and half the round-trip time.
const PEER_TIMESTAMP: u32 = 100;
const PEER_MSS: u16 = 1_000;
const ROUND_TRIP: Duration = Duration::from_millis(10);
/// More timers than any script waits for.
const MOST_TIMERS: u32 = 100_000;

const OUR_STREAM: Pattern = Pattern::new(1);
const PEER_STREAM: Pattern = Pattern::new(2);

/// Why a script does not hold: the line, what is wrong with it, and every packet up to then.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// Number of the line, from 1.
    pub line: usize,
    /// The line.
    pub text: String,
    /// What is wrong.
    pub problem: String,
    /// The packets so far, a line for each.
    pub packets: Vec<String>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure { line, text, problem, packets } = self;
        write!(f, "script line {line}: {text}\n{problem}")?;
        if !packets.is_empty() {
            write!(f, "\npackets so far:\n  {}", packets.join("\n  "))?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}

/// Runs a script.
///
/// # Errors
/// The first line that cannot be read or does not hold.
pub fn run(script: &str) -> Result<(), Failure> {
    let mut runner = Runner::new();
    let mut last = (0, "");
    for (index, line) in script.lines().enumerate() {
        let text = line.split('#').next().unwrap_or_default().trim();
        if !text.is_empty() {
            last = (index + 1, text);
            runner.line(text).map_err(|problem| runner.failure(last, problem))?;
        }
    }
    runner.expect_silence().map_err(|problem| runner.failure(last, problem))
}

/// A packet that the stack has sent.
struct Sent {
    at: Instant,
    packet: Packet,
}

struct Runner {
    settings: Settings,
    /// There is one as soon as something happens.
    stack: Option<Stack<'static, BuiltIn>>,
    listener: Option<Listener>,
    handle: Option<Handle>,
    now: Instant,
    /// Known from our SYN on.
    our_isn: Option<SeqNumber>,
    /// Our timestamp clock's reading at [`START`] less [`FIRST_TIMESTAMP`].
    timestamp_base: Option<u32>,
    peer_window: u16,
    written: u64,
    read: u64,
    /// What the stack has sent that no line has expected yet.
    sent: VecDeque<Sent>,
    log: Vec<String>,
}

impl Runner {
    fn new() -> Self {
        Runner {
            settings: Settings::default(),
            stack: None,
            listener: None,
            handle: None,
            now: START,
            our_isn: None,
            timestamp_base: None,
            peer_window: PEER_WINDOW,
            written: 0,
            read: 0,
            sent: VecDeque::new(),
            log: Vec::new(),
        }
    }

    fn failure(&self, (line, text): (usize, &str), problem: String) -> Failure {
        Failure { line, text: text.into(), problem, packets: self.log.clone() }
    }

    fn line(&mut self, text: &str) -> Result<(), String> {
        let (when, step) = When::split(text)?;
        let at = match when {
            When::After(after) => self.now + after,
            When::At(time) => START + time,
        };
        if at < self.now {
            return Err(format!("it is {} already", shown(self.now)));
        }
        if let Some(packet) = step.strip_prefix('>') {
            let expected = packet.parse()?;
            return self.expect(at, &expected);
        }
        self.wait_until(at)?;
        self.expect_silence()?;
        if let Some(packet) = step.strip_prefix('<') {
            let packet = packet.parse()?;
            return self.inject(&packet);
        }
        let words: Vec<&str> = step.split_whitespace().collect();
        match *words {
            ["quiet"] => Ok(()),
            ["set", ref setting @ ..] if self.stack.is_none() => self.settings.set(setting),
            ["set", ..] => Err("settings come before everything else".into()),
            _ => self.call(&words).and_then(|()| self.collect()),
        }
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
        Err("timers fire again and again".into())
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
        loop {
            let mut bytes = None;
            self.stack().transmit(now, &mut |transmit| {
                let mut packet = vec![0; transmit.len()];
                bytes = transmit.copy_to(&mut packet).map(|_| packet);
                Ok(())
            });
            let Some(bytes) = bytes else {
                return Ok(());
            };
            let packet = self.read_packet(&bytes)?;
            self.log.push(format!("{} > {packet}", shown(now)));
            self.sent.push_back(Sent { at: now, packet });
        }
    }

    /// What the stack has sent, in relative numbers; its payload is checked.
    fn read_packet(&mut self, bytes: &[u8]) -> Result<Packet, String> {
        let parsed = parse_packet(bytes, Checksums::default());
        let parsed = parsed.map_err(|error| format!("the stack sent a bad packet: {error}"))?;
        let Protocol::Tcp(Segment { header, payload, .. }) = parsed.protocol else {
            return Err("the stack sent a packet that is not TCP".into());
        };
        if header.flags.contains(Flags::SYN) {
            self.our_isn.get_or_insert(header.seq);
        }
        let mut options = header.options;
        if let Some(timestamps) = &mut options.timestamps {
            let reading =
                FIRST_TIMESTAMP.wrapping_add(self.now.saturating_since(START).as_millis() as u32);
            let now = timestamps.value.wrapping_sub(reading);
            let base = *self.timestamp_base.get_or_insert(now);
            timestamps.value = timestamps.value.wrapping_sub(base);
        }
        options.sack = shifted(&options.sack, 0_u32.wrapping_sub(PEER_ISN.0));
        let seq = header.seq - self.our_isn().0;
        let has_ack = header.flags.contains(Flags::ACK);
        let packet = Packet {
            ecn: Some(parsed.ip.ecn),
            flags: header.flags,
            seq,
            len: payload.len() as u32,
            ack: if has_ack { header.ack - PEER_ISN.0 } else { SeqNumber(0) },
            window: Some(header.window),
            urgent: Some(header.urgent_pointer),
            options: Some(options),
        };
        match OUR_STREAM.first_mismatch(stream_offset(&packet), payload) {
            None => Ok(packet),
            Some(at) => Err(format!("the payload of `{packet}` is wrong from its byte {at} on")),
        }
    }

    // ---- the peer ----

    fn inject(&mut self, packet: &Packet) -> Result<(), String> {
        self.peer_window = packet.window.unwrap_or(self.peer_window);
        let packet = Packet { window: Some(self.peer_window), ..*packet };
        self.log.push(format!("{} < {packet}", shown(self.now)));
        let bytes = self.write_packet(&packet)?;
        let now = self.now;
        self.stack().on_packet(now, &bytes);
        self.collect()
    }

    fn write_packet(&self, packet: &Packet) -> Result<Vec<u8>, String> {
        let mut options = packet.options.unwrap_or_default();
        options.sack = shifted(&options.sack, self.our_isn().0);
        if let Some(timestamps) = options.timestamps.as_mut().filter(|option| option.echo != 0) {
            let base = self.timestamp_base.ok_or("we have sent no timestamp to echo")?;
            timestamps.echo = timestamps.echo.wrapping_add(base);
        }
        let has_ack = packet.flags.contains(Flags::ACK);
        let header = Header {
            source_port: PEER_PORT,
            destination_port: OUR_PORT,
            seq: PEER_ISN + packet.seq.0,
            ack: if has_ack { packet.ack + self.our_isn().0 } else { SeqNumber(0) },
            flags: packet.flags,
            window: packet.window.unwrap_or(self.peer_window),
            urgent_pointer: packet.urgent.unwrap_or(0),
            options,
        };
        let ip = IpInfo {
            source: PEER_ADDRESS,
            destination: OUR_ADDRESS,
            hop_limit: 64,
            dscp: 0,
            ecn: packet.ecn.unwrap_or(Ecn::NotEct),
        };
        let mut payload = vec![0; packet.len as usize];
        PEER_STREAM.fill(stream_offset(packet), &mut payload);
        let mut bytes = [0; MAX_HEADER];
        let checksum = WriteChecksum::Complete;
        let len = write_packet_header(&mut bytes, &ip, &header, [&payload, &[]], checksum);
        Ok([&bytes[..len], &payload].concat())
    }

    /// 0 before we have told it.
    fn our_isn(&self) -> SeqNumber {
        self.our_isn.unwrap_or_default()
    }

    // ---- the application ----

    fn stack(&mut self) -> &mut Stack<'static, BuiltIn> {
        let Settings { law, mtu, .. } = self.settings;
        self.stack.get_or_insert_with(|| {
            let config = StackConfig::new(Capabilities::with_mtu(mtu), [1, 2]);
            let mut stack = Stack::new(config, law, Storage::growing()).expect("a usable MTU");
            stack
                .add_address(Cidr { address: OUR_ADDRESS, prefix: 24 })
                .expect("a stack takes an address");
            stack
        })
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
                self.stack().shutdown(now, handle).map_err(|error| error.to_string())
            }
            ["close"] => {
                let handle = self.handle()?;
                self.stack().close(now, handle).map_err(|error| error.to_string())
            }
            ["abort"] => {
                let handle = self.handle()?;
                self.stack().abort(now, handle).map_err(|error| error.to_string())
            }
            ["nagle", value] => {
                let (handle, on) = (self.handle()?, switch(value)?);
                self.stack().set_nagle(now, handle, on).map_err(|error| error.to_string())
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
            ["win", bytes] => self.peer_window = number(bytes)?,
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
        same(&taken.to_string(), n.to_string())
    }

    fn read(&mut self, len: usize) -> Result<(), String> {
        let mut bytes = vec![0; len];
        let (now, handle) = (self.now, self.handle()?);
        let n = self.stack().receive(now, handle, &mut bytes).map_err(|error| error.to_string())?;
        if let Some(at) = PEER_STREAM.first_mismatch(self.read, &bytes[..n]) {
            return Err(format!("byte {} of the peer's stream is wrong", self.read + at as u64));
        }
        self.read += n as u64;
        same(&len.to_string(), n.to_string())
    }

    fn read_end(&mut self) -> Result<(), String> {
        let (now, handle) = (self.now, self.handle()?);
        match self.stack().receive(now, handle, &mut [0]) {
            Err(ReceiveError::Finished) => Ok(()),
            Ok(n) => Err(format!("expected the end, {n} bytes came")),
            Err(error) => Err(format!("expected the end, but: {error}")),
        }
    }
}

/// Where the payload begins in its side's stream.
fn stream_offset(packet: &Packet) -> u64 {
    let syn = u32::from(packet.flags.contains(Flags::SYN));
    (packet.seq + syn - 1).0.into()
}

/// The blocks, moved by `by` sequence numbers.
fn shifted(blocks: &SackBlocks, by: u32) -> SackBlocks {
    let mut moved = SackBlocks::EMPTY;
    for block in blocks.as_slice() {
        moved.push(SeqRange::new(block.start + by, block.end + by));
    }
    moved
}

fn same(expected: &str, found: String) -> Result<(), String> {
    if expected == found { Ok(()) } else { Err(format!("expected {expected}\nfound    {found}")) }
}

/// A time of the script.
fn shown(at: Instant) -> Seconds {
    Seconds(at.saturating_since(START))
}
