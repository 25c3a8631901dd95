//! Segments near valid ones into a stack with a connection in any state, and calls between them.

use crate::peer::{PEER_ISN, Peer, Sent, any_law, header};
use ackclock::seq::{SeqNumber, SeqRange};
use ackclock::stack::Statistics;
use ackclock::tcp::{Config, EcnMode, FastOpenMode, Keepalive, Nagle, RecoveryAlgorithm};
use ackclock::time::Duration;
use ackclock::wire::{FastOpenCookie, Flags, Header, Options, SackBlocks, Timestamps};
use arbitrary::{Result, Unstructured};

/// Packets, calls and waits of one run.
const MOST_STEPS: u32 = 200;
/// Timers that fire in one wait.
const MOST_TIMERS: u32 = 50;

pub(crate) fn run(data: &[u8]) {
    // Input that ends early is not worth more.
    let _ = steps(&mut Unstructured::new(data));
}

/// How far the way through the states goes before anything may come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Start {
    Closed,
    Listen,
    SynSent,
    SynReceived,
    SynReceivedActively,
    Established,
    FinWait1,
    FinWait2,
    CloseWait,
    Closing,
    LastAck,
    TimeWait,
}

const STARTS: [Start; 12] = [
    Start::Closed,
    Start::Listen,
    Start::SynSent,
    Start::SynReceived,
    Start::SynReceivedActively,
    Start::Established,
    Start::FinWait1,
    Start::FinWait2,
    Start::CloseWait,
    Start::Closing,
    Start::LastAck,
    Start::TimeWait,
];

struct World {
    peer: Peer,
    config: Config,
    /// What the peer would send next, and expects next, going by what it has seen.
    next: SeqNumber,
    expected: SeqNumber,
    /// The timestamp that the peer would echo.
    echo: u32,
    closed: bool,
}

fn steps(u: &mut Unstructured<'_>) -> Result<()> {
    let start = *u.choose(&STARTS)?;
    let config = config(u)?;
    let mut world = World {
        peer: Peer::new(any_law(u)?),
        config,
        next: PEER_ISN,
        expected: SeqNumber(0),
        echo: 0,
        closed: false,
    };
    world.begin(start);
    for _ in 0..MOST_STEPS {
        if u.is_empty() {
            break;
        }
        match u.int_in_range(0..=15)? {
            0..=10 => world.segment(u)?,
            11..=13 => world.call(u)?,
            _ => world.wait(u)?,
        }
        world.peer.check();
    }
    world.end();
    Ok(())
}

fn config(u: &mut Unstructured<'_>) -> Result<Config> {
    let mut config = Config::default();
    config.timestamps = u.arbitrary()?;
    config.sack = u.arbitrary()?;
    config.window_scaling = u.arbitrary()?;
    config.ecn = *u.choose(&[EcnMode::Off, EcnMode::Accept, EcnMode::Request])?;
    config.fast_open =
        *u.choose(&[FastOpenMode::Off, FastOpenMode::On, FastOpenMode::WithoutCookie])?;
    config.recovery = *u.choose(RecoveryAlgorithm::ALL)?;
    config.mss = *u.choose(&[None, Some(100), Some(1)])?;
    config.send_buffer = *u.choose(&[20_000, 1, 500])?;
    config.receive_buffer = *u.choose(&[20_000, 1, 500, 200_000])?;
    config.reassembly_ranges = *u.choose(&[8, 0, 1])?;
    config.flight_records = *u.choose(&[1_000, 1, 3])?;
    let second = Duration::from_secs(1);
    if u.ratio(1, 3)? {
        config.keepalive = Some(Keepalive { idle: second, interval: second, count: 3 });
    }
    Ok(config)
}

impl World {
    fn options(&self) -> Options {
        let timestamps = Timestamps { value: self.clock(), echo: self.echo };
        Options { timestamps: self.config.timestamps.then_some(timestamps), ..Options::default() }
    }

    fn syn_options(&self) -> Options {
        Options {
            mss: Some(1_000),
            window_scale: self.config.window_scaling.then_some(2),
            sack_permitted: self.config.sack,
            ..self.options()
        }
    }

    /// The peer's timestamp clock: of our stack's time.
    fn clock(&self) -> u32 {
        self.peer.now.as_millis() as u32
    }

    /// A well-behaved segment of the peer.
    fn proper(&mut self, flags: Flags) {
        let syn = flags.contains(Flags::SYN);
        let options = if syn { self.syn_options() } else { self.options() };
        let ack = if flags.contains(Flags::ACK) { self.expected } else { SeqNumber(0) };
        let header = Header { seq: self.next, ack, flags, options, ..header() };
        self.next += u32::from(syn) + u32::from(flags.contains(Flags::FIN));
        let sent = self.peer.says(&header);
        self.hear(&sent);
    }

    fn shutdown(&mut self) {
        if let Some(handle) = self.peer.handle {
            let _ = self.peer.stack.shutdown(self.peer.now, handle);
        }
        let sent = self.peer.sent();
        self.hear(&sent);
    }

    fn begin(&mut self, start: Start) {
        use Start::*;
        if start == Closed {
            return;
        }
        let (syn, ack, fin) = (Flags::SYN, Flags::ACK, Flags::FIN | Flags::ACK);
        if matches!(start, Listen | SynReceived | Established) {
            self.peer.listen(&self.config);
        } else {
            let sent = self.peer.connect(&self.config);
            self.hear(&[sent]);
        }
        match start {
            Closed | Listen | SynSent => return,
            SynReceived | SynReceivedActively => return self.proper(syn),
            Established => {
                self.proper(syn);
                self.proper(ack);
                return self.peer.accept();
            }
            _ => self.proper(syn | ack),
        }
        match start {
            FinWait1 => self.shutdown(),
            FinWait2 => {
                self.shutdown();
                self.proper(ack);
            }
            Closing => {
                let known = self.expected;
                self.shutdown();
                let ours = core::mem::replace(&mut self.expected, known);
                self.proper(fin);
                self.expected = ours;
            }
            CloseWait => self.proper(fin),
            LastAck => {
                self.proper(fin);
                self.shutdown();
            }
            _ => {
                self.shutdown();
                self.proper(fin);
            }
        }
    }

    /// What a peer learns from segments.
    fn hear(&mut self, sent: &[Sent]) {
        for Sent { header, payload } in sent {
            let flags = header.flags;
            if flags.contains(Flags::RST) {
                continue;
            }
            if flags.contains(Flags::SYN) {
                self.peer.our_isn = header.seq;
                self.expected = header.seq + 1;
            }
            let fin = u32::from(flags.contains(Flags::FIN));
            let end = header.seq + payload.len() as u32 + fin;
            self.expected = self.expected.max(end);
            self.echo = header.options.timestamps.map_or(self.echo, |option| option.value);
        }
    }

    fn segment(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let usual = [Flags::ACK, Flags::ACK | Flags::FIN, Flags::SYN, Flags::SYN | Flags::ACK];
        let flags = match u.int_in_range(0..=7)? {
            0..=4 => usual[0],
            5 => *u.choose(&usual)?,
            6 => *u.choose(&[Flags::RST, Flags::RST | Flags::ACK, Flags::URG | Flags::ACK])?,
            _ => Flags::from_bits(u.arbitrary()?),
        };
        let near = |u: &mut Unstructured<'_>, base: SeqNumber| -> Result<SeqNumber> {
            Ok(match u.int_in_range(0..=7)? {
                0..=3 => base,
                4 => base - 1,
                5 | 6 => base + u.int_in_range(-3_000..=3_000)? as u32,
                _ => SeqNumber(u.arbitrary()?),
            })
        };
        let (next, expected) = (self.next, self.expected);
        let seq = near(u, next)?;
        let ack = near(u, expected)?;
        let mut options = self.options();
        if flags.contains(Flags::SYN) {
            options = self.syn_options();
            options.set_fast_open(*u.choose(&[None, Some(FastOpenCookie::REQUEST)])?);
        }
        if u.ratio(1, 8)? {
            let value = self.clock().wrapping_add(u.arbitrary()?);
            options.timestamps = Some(Timestamps { value, echo: u.arbitrary()? });
        }
        for _ in 0..u.int_in_range(0..=SackBlocks::MAX)? {
            let start = near(u, expected)?;
            options.sack.push(SeqRange::from_len(start, u.int_in_range(0..=3_000)?));
        }
        let window = *u.choose(&[60_000, 0, 1, 500])?;
        let urgent_pointer = if flags.contains(Flags::URG) { u.arbitrary()? } else { 0 };
        let header = Header { seq, ack, flags, window, urgent_pointer, options, ..header() };
        let payload = vec![7; *u.choose(&[0_usize, 0, 1, 100, 1_000])?];
        let sent = self.peer.sends(&header, &payload);
        if flags.contains(Flags::RST) {
            let reset = sent.iter().any(|sent| sent.header.flags.contains(Flags::RST));
            assert!(!reset, "a reset is never answered with one");
        }
        if seq == self.next {
            let fin = u32::from(flags.contains(Flags::FIN));
            let len = payload.len() as u32 + fin;
            // If we have taken it the peer goes on behind it.
            let taken = |sent: &Sent| sent.header.ack == seq + len;
            self.next += if sent.iter().any(taken) { len } else { 0 };
        }
        self.hear(&sent);
        self.peer.accept();
        Ok(())
    }

    fn call(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let now = self.peer.now;
        let Some(handle) = self.peer.handle.filter(|_| !self.closed) else {
            return Ok(());
        };
        let stack = &mut self.peer.stack;
        match u.int_in_range(0..=11)? {
            0..=3 => {
                let sent = self.peer.write(u.int_in_range(0..=3_000)?);
                self.hear(&sent);
                return Ok(());
            }
            4..=6 => {
                let mut bytes = vec![0; u.int_in_range(0..=3_000)?];
                let _ = stack.receive(now, handle, &mut bytes);
            }
            7 => {
                let _ = stack.set_nagle(now, handle, *u.choose(&Nagle::ALL)?);
            }
            8 => {
                let _ = stack.set_cork(now, handle, u.arbitrary()?);
            }
            9 => {
                let _ = stack.shutdown(now, handle);
            }
            10 => self.closed = stack.close(now, handle).is_ok(),
            _ => self.closed = stack.abort(now, handle).is_ok(),
        }
        while stack.poll_event().is_some() {}
        let sent = self.peer.sent();
        self.hear(&sent);
        Ok(())
    }

    fn wait(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let millis = *u.choose(&[1, 40, 200, 1_000, 60_000, 10_000_000])?;
        let sent = self.peer.wait(Duration::from_millis(millis), MOST_TIMERS);
        self.hear(&sent);
        Ok(())
    }

    /// Once the application has given everything up nothing goes on for ever.
    fn end(&mut self) {
        self.peer.accept();
        if let Some(listener) = self.peer.listener {
            self.peer.stack.close_listener(self.peer.now, listener);
        }
        if let Some(handle) = self.peer.handle.filter(|_| !self.closed) {
            self.peer.stack.abort(self.peer.now, handle).expect("a handle not given up");
        }
        self.peer.sent();
        for _ in 0..1_000 {
            if self.peer.stack.poll_at().is_never() {
                break;
            }
            self.peer.wait(Duration::from_secs(1_000), MOST_TIMERS);
        }
        assert!(self.peer.stack.poll_at().is_never(), "a timer without a connection");
        let Statistics { malformed, bad_checksum, .. } = self.peer.stack.statistics();
        assert_eq!((*malformed, *bad_checksum), (0, 0), "our packets are valid");
    }
}
