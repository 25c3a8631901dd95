//! A sender with holes in its flight, and the acks that it gets; a receiver with holes in its data, and
//! the segments that it gets.

use ackclock::congestion::{BuiltIn, Fixed};
use ackclock::seq::{SeqNumber, SeqRange};
use ackclock::storage::Buffer;
use ackclock::tcp::{Buffers, Config, Connection, Open};
use ackclock::time::{Duration, Instant};
use ackclock::wire::{Ecn, Flags, Header, IpInfo, Options, SackBlocks, Segment, Timestamps};

const ISS: u32 = 1_000;
const IRS: u32 = 5_000;
const MSS: u32 = 1_448;

/// Segments in flight behind the holes: so many acks can be given.
pub const ACKS: usize = 4_000;

/// Payload of the segments that are received.
const PIECE: u32 = 200;

/// An established connection with a large flight, of which the peer has SACKed every second segment up
/// to the number of holes.
pub struct Scoreboard {
    connection: Connection<'static, BuiltIn>,
    now: Instant,
    holes: u32,
    next: u32,
}

impl Scoreboard {
    /// With so many holes.
    ///
    /// # Panics
    /// If the connection does not come about.
    pub fn new(holes: u32) -> Self {
        let segments = 2 * holes + ACKS as u32;
        let mut config = Config::default();
        config.send_buffer = segments * MSS;
        config.flight_records = segments;
        config.receive_buffer = 8 << 20;
        config.reassembly_ranges = 10_000;
        let buffers = Buffers {
            send: Buffer::growing(),
            receive: Buffer::growing(),
            flight: Buffer::growing(),
            delivery: Buffer::growing(),
            reassembly: Buffer::growing(),
        };
        let open = Open {
            iss: SeqNumber(ISS),
            timestamp_offset: 0,
            mtu: 1_500,
            ip_header: 20,
            random: 1,
            clock_phase: 0,
        };
        let law = BuiltIn::Fixed(Fixed::segments(segments));
        let now = Instant::from_secs(1);
        let connection = Connection::connect(now, &config, law, buffers, &open);
        let mut board = Scoreboard { connection, now, holes, next: 2 * holes };
        board.send();
        board.now += Duration::from_millis(40);
        let options = Options {
            mss: Some(1_460),
            sack_permitted: true,
            window_scale: Some(14),
            timestamps: Some(Timestamps { value: 1, echo: 1_000 }),
            ..Options::default()
        };
        board.segment(IRS, ISS + 1, Flags::SYN, options);
        let data = vec![0; (segments * MSS) as usize];
        assert_eq!(board.connection.send(board.now, &data), Ok(data.len()));
        board.send();
        board.now += Duration::from_millis(40);
        for hole in 0..holes {
            board.sack(2 * hole + 1, 2 * hole + 2);
        }
        board
    }

    fn send(&mut self) {
        while let Some(outgoing) = self.connection.poll_transmit(self.now, 0) {
            self.connection.on_transmitted(self.now, &outgoing);
        }
    }

    fn segment(&mut self, seq: u32, ack: u32, flags: Flags, options: Options) {
        self.data(seq, ack, flags, options, &[]);
    }

    fn data(&mut self, seq: u32, ack: u32, flags: Flags, options: Options, payload: &[u8]) {
        let header = Header {
            source_port: 2,
            destination_port: 1,
            seq: SeqNumber(seq),
            ack: SeqNumber(ack),
            flags: flags | Flags::ACK,
            window: u16::MAX,
            urgent_pointer: 0,
            options,
        };
        let ip = IpInfo {
            source: [10, 0, 0, 2].into(),
            destination: [10, 0, 0, 1].into(),
            hop_limit: 64,
            dscp: 0,
            ecn: Ecn::NotEct,
        };
        let _ = self.connection.on_segment(self.now, &Segment { header, ip, payload });
    }

    /// The peer has segments `from` up to `to`, and what it reported before.
    fn sack(&mut self, from: u32, to: u32) {
        let number = |segment: u32| SeqNumber(ISS + 1 + segment * MSS);
        let mut blocks = SackBlocks::default();
        blocks.push(SeqRange::new(number(from), number(to)));
        for before in [3, 1] {
            if from > before {
                blocks.push(SeqRange::new(number(from - before - 1), number(from - before)));
            }
        }
        let millis = self.now.as_millis() as u32;
        let options = Options {
            timestamps: Some(Timestamps { value: millis, echo: millis - 40 }),
            sack: blocks,
            ..Options::default()
        };
        self.segment(IRS + 1, ISS + 1, Flags::NONE, options);
    }

    /// An ack arrives: of the next segment in order, or with holes behind them. At most [`ACKS`]
    /// times.
    pub fn ack(&mut self) {
        self.now += Duration::from_micros(10);
        self.next += 1;
        if self.holes == 0 {
            let millis = self.now.as_millis() as u32;
            let options = Options {
                timestamps: Some(Timestamps { value: millis, echo: millis - 40 }),
                ..Options::default()
            };
            self.segment(IRS + 1, ISS + 1 + self.next * MSS, Flags::NONE, options);
        } else {
            self.sack(2 * self.holes, self.next);
        }
        std::hint::black_box(&mut self.connection);
    }
}

/// An established connection that has received every second segment up to the number of holes.
pub struct Holes {
    board: Scoreboard,
    next: u32,
}

impl Holes {
    /// With so many holes.
    pub fn new(holes: u32) -> Self {
        let mut receiver = Holes { board: Scoreboard::new(0), next: 0 };
        for _ in 0..holes {
            receiver.next += 1;
            receiver.receive();
        }
        receiver
    }

    /// The next segment arrives behind the holes, is acknowledged if that is due, and read if there are
    /// none.
    ///
    /// # Panics
    /// If the connection is over.
    pub fn receive(&mut self) {
        let board = &mut self.board;
        board.now += Duration::from_micros(10);
        let millis = board.now.as_millis() as u32;
        let timestamps = Some(Timestamps { value: millis, echo: millis - 40 });
        let options = Options { timestamps, ..Options::default() };
        let seq = IRS + 1 + self.next * PIECE;
        board.data(seq, ISS + 1, Flags::NONE, options, &[7; PIECE as usize]);
        self.next += 1;
        let mut bytes = [0; PIECE as usize];
        let _ = board.connection.receive(&mut bytes).expect("an open connection");
        board.send();
    }
}
