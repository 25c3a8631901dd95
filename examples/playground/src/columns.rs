//! The tables of numbers that the page reads, one vector for each column.

use std::fmt::Write;

/// A type of numbers that a column can have.
trait Number {
    /// What the page calls it.
    const NAME: &'static str;
}

impl Number for f64 {
    const NAME: &'static str = "f64";
}

impl Number for u32 {
    const NAME: &'static str = "u32";
}

impl Number for u8 {
    const NAME: &'static str = "u8";
}

/// A table of a session, whatever its columns are.
pub(crate) trait Table {
    /// Name and type of each column.
    fn layout(&self) -> Vec<(&'static str, &'static str)>;
    /// Where the numbers of a column are; `None` if there is no such column.
    fn column(&self, index: usize) -> Option<*const u8>;
    /// How many values each column has.
    fn rows(&self) -> usize;
}

/// Declares a table, its row, and how it grows by one.
macro_rules! table {
    ($(#[$about:meta])* $table:ident of $row:ident { $first:ident: $first_type:ty, $($name:ident: $type:ty,)* }) => {
        $(#[$about])*
        #[derive(Debug, Default)]
        pub(crate) struct $table {
            pub(crate) $first: Vec<$first_type>,
            $(pub(crate) $name: Vec<$type>,)*
        }

        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $row {
            pub(crate) $first: $first_type,
            $(pub(crate) $name: $type,)*
        }

        impl $table {
            pub(crate) fn push(&mut self, row: $row) {
                self.$first.push(row.$first);
                $(self.$name.push(row.$name);)*
            }
        }

        impl Table for $table {
            fn layout(&self) -> Vec<(&'static str, &'static str)> {
                vec![
                    (stringify!($first), <$first_type as Number>::NAME),
                    $((stringify!($name), <$type as Number>::NAME),)*
                ]
            }

            fn column(&self, index: usize) -> Option<*const u8> {
                let columns =
                    [self.$first.as_ptr().cast(), $(self.$name.as_ptr().cast(),)*];
                columns.get(index).copied()
            }

            fn rows(&self) -> usize {
                self.$first.len()
            }
        }
    };
}

table! {
    /// The packets in the order in which their senders sent them. Times are seconds of virtual time, and
    /// not a number before they have come. Sequence numbers count from the SYN's as 0.
    Packets of PacketRow {
        sent: f64,
        // When it reached its host, or was dropped.
        ended: f64,
        seq: u32,
        ack: u32,
        payload: u32,
        bytes: u32,
        flow: u8,
        // Bits of `kind`.
        kind: u8,
        // 0: on its way; 1: delivered; above: a code of `watch::FATES`.
        fate: u8,
    }
}

table! {
    /// The crossings of the bottleneck in one direction, a row for each packet that was handed to it, and
    /// for each copy. Times as above.
    Crossings of CrossingRow {
        // When it was handed over.
        offered: f64,
        began: f64,
        left: f64,
        // When it reached the other end, or was dropped.
        ended: f64,
        packet: u32,
        // As of a packet.
        fate: u8,
    }
}

table! {
    /// The length of a queue of the bottleneck, a row for each change.
    Queue of QueueRow {
        time: f64,
        // Those that wait, without the one in service.
        packets: u32,
    }
}

table! {
    /// The sender of a flow, a row for each change. Spans are seconds, windows bytes.
    Windows of WindowRow {
        time: f64,
        rtt: f64,
        rto: f64,
        cwnd: u32,
        // The largest number if there is none.
        ssthresh: u32,
        in_flight: u32,
        flow: u8,
        // 1: in recovery.
        recovery: u8,
    }
}

/// The bits of a packet's kind.
pub(crate) mod kind {
    /// It has payload, SYN or FIN.
    pub(crate) const DATA: u8 = 1;
    /// What it has was sent before.
    pub(crate) const AGAIN: u8 = 2;
    /// It goes from the end that did not open the connection.
    pub(crate) const REPLY: u8 = 4;
    /// It is marked "congestion experienced".
    pub(crate) const MARKED: u8 = 8;
    /// A bit of it was flipped.
    pub(crate) const CORRUPTED: u8 = 16;
}

/// All tables of a session.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    pub(crate) packets: Packets,
    /// From left to right, and back.
    pub(crate) crossings: [Crossings; 2],
    pub(crate) queues: [Queue; 2],
    pub(crate) windows: Windows,
}

impl Tables {
    /// The tables by name; their order is their numbers.
    pub(crate) fn all(&self) -> [(&'static str, &dyn Table); 6] {
        let [there, back] = &self.crossings;
        let [queue_there, queue_back] = &self.queues;
        [
            ("packets", &self.packets),
            ("there", there),
            ("back", back),
            ("queueThere", queue_there),
            ("queueBack", queue_back),
            ("windows", &self.windows),
        ]
    }

    /// Names and types of all columns of all tables, as JSON.
    pub(crate) fn layout(&self) -> String {
        let mut text = String::from("[");
        for (number, (name, table)) in self.all().into_iter().enumerate() {
            let separator = if number == 0 { "" } else { "," };
            let columns: Vec<_> = table
                .layout()
                .iter()
                .map(|(name, kind)| format!("[\"{name}\",\"{kind}\"]"))
                .collect();
            // Writing to a string cannot fail.
            let _ = write!(text, "{separator}[\"{name}\",[{}]]", columns.join(","));
        }
        text + "]"
    }
}
