//! A sender with holes in its flight, and the acks that it gets; a receiver with holes in its data, and
//! the segments that it gets.

use crate::end::{End, IRS, ISS};
use ackclock::seq::{SeqNumber, SeqRange};
use ackclock::tcp::ReceiveError;
use ackclock::time::Duration;
use ackclock::wire::{Flags, Options, SackBlocks};

const MSS: u32 = 1_448;

/// Segments in flight behind the holes: so many acks can be given.
pub const ACKS: usize = 4_000;

/// Payload of the segments that are received.
const PIECE: u32 = 200;

/// An established connection with a large flight, of which the peer has SACKed every second segment up
/// to the number of holes.
pub struct Scoreboard {
    end: End,
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
        let end = End::established(segments, segments, MSS as u16);
        let mut board = Scoreboard { end, holes, next: 2 * holes };
        let data = vec![0; (segments * MSS) as usize];
        assert_eq!(board.end.connection.send(board.end.now, &data), Ok(data.len()));
        let mut sent = 0;
        board.end.send(|_, outgoing| sent += outgoing.len);
        assert_eq!(sent, data.len(), "all is in flight: acks are of what was sent");
        board.end.wait();
        for hole in 0..holes {
            board.sack(2 * hole + 1, 2 * hole + 2);
        }
        board
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
        let timestamps = self.end.timestamps();
        let options = Options { timestamps, sack: blocks, ..Options::default() };
        self.end.take(IRS + 1, ISS + 1, Flags::NONE, options, &[]);
    }

    /// An ack arrives: of the next segment in order, or with holes behind them. At most [`ACKS`]
    /// times.
    pub fn ack(&mut self) {
        self.end.now += Duration::from_micros(10);
        self.next += 1;
        if self.holes == 0 {
            let timestamps = self.end.timestamps();
            let options = Options { timestamps, ..Options::default() };
            self.end.take(IRS + 1, ISS + 1 + self.next * MSS, Flags::NONE, options, &[]);
        } else {
            self.sack(2 * self.holes, self.next);
        }
        std::hint::black_box(&mut self.end.connection);
    }
}

/// An established connection that has received every second segment up to the number of holes, and has
/// a flight of its own.
pub struct Holes {
    end: End,
    next: u32,
}

impl Holes {
    /// With so many holes.
    pub fn new(holes: u32) -> Self {
        let Scoreboard { end, .. } = Scoreboard::new(0);
        let mut receiver = Holes { end, next: 0 };
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
        let Holes { end, next } = self;
        end.now += Duration::from_micros(10);
        let options = Options { timestamps: end.timestamps(), ..Options::default() };
        let seq = IRS + 1 + *next * PIECE;
        end.take(seq, ISS + 1, Flags::NONE, options, &[7; PIECE as usize]);
        *next += 1;
        let mut bytes = [0; PIECE as usize];
        let read = end.connection.receive(&mut bytes);
        assert!(matches!(read, Ok(_) | Err(ReceiveError::WouldBlock)), "an open connection");
        end.send(|_, _| ());
    }
}
