//! One end of a connection by itself, established; whoever measures it plays the peer.

use ackclock::congestion::{BuiltIn, Fixed};
use ackclock::seq::SeqNumber;
use ackclock::storage::Buffer;
use ackclock::tcp::{Buffers, Config, Connection, Open, Outgoing};
use ackclock::time::{Duration, Instant};
use ackclock::wire::{Ecn, Flags, Header, IpInfo, Options, Segment, Timestamps};

/// Our first sequence number, that of the SYN.
pub(crate) const ISS: u32 = 1_000;

/// The peer's.
pub(crate) const IRS: u32 = 5_000;

/// Bytes that timestamps take of each segment.
const TIMESTAMPS: u16 = 12;

/// How long everything takes to the peer and back, unless it is said otherwise.
const ROUND_TRIP: Duration = Duration::from_millis(40);

/// A connection and its clock.
pub(crate) struct End {
    pub(crate) connection: Connection<'static, BuiltIn>,
    pub(crate) now: Instant,
}

impl End {
    /// With a window and a send queue of so many segments, each of which has `piece` bytes of payload.
    ///
    /// # Panics
    /// If the connection does not come about.
    pub(crate) fn established(window: u32, queue: u32, piece: u16) -> Self {
        let mut config = Config::default();
        config.send_buffer = queue * u32::from(piece);
        config.flight_records = queue;
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
        let law = BuiltIn::Fixed(Fixed::segments(window));
        let now = Instant::from_secs(1);
        let connection = Connection::connect(now, &config, law, buffers, &open);
        let mut end = End { connection, now };
        end.send(|_, _| ());
        end.now += ROUND_TRIP;
        let options = Options {
            mss: Some(piece + TIMESTAMPS),
            sack_permitted: true,
            window_scale: Some(14),
            timestamps: Some(Timestamps { value: 1, echo: 1_000 }),
            ..Options::default()
        };
        end.take(IRS, ISS + 1, Flags::SYN, options, &[]);
        // The window of a SYN is not scaled, so that the peer has yet to tell how large its own is.
        let options = Options { timestamps: end.timestamps(), ..Options::default() };
        end.take(IRS + 1, ISS + 1, Flags::NONE, options, &[]);
        end
    }

    /// Sends what may be sent; `sent` is told of each segment.
    pub(crate) fn send(&mut self, mut sent: impl FnMut(Instant, &Outgoing)) {
        while let Some(outgoing) = self.connection.poll_transmit(self.now, 0) {
            self.connection.on_transmitted(self.now, &outgoing);
            sent(self.now, &outgoing);
        }
    }

    /// A segment of the peer arrives.
    pub(crate) fn take(
        &mut self,
        seq: u32,
        ack: u32,
        flags: Flags,
        options: Options,
        payload: &[u8],
    ) {
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

    /// Timestamps of a peer that answers at once.
    pub(crate) fn timestamps(&self) -> Option<Timestamps> {
        let millis = self.now.as_millis() as u32;
        Some(Timestamps { value: millis, echo: millis - ROUND_TRIP.as_millis() as u32 })
    }

    /// A round trip passes.
    pub(crate) fn wait(&mut self) {
        self.now += ROUND_TRIP;
    }
}
