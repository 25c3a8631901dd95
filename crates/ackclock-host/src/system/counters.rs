//! The kernel's counters of a network interface.

use super::interface::InterfaceName;
use std::fs::File;
use std::io::{self, Read, Seek};

/// The kernel's table of counters, with a line for each interface of the calling thread's network
/// namespace.
const TABLE: &str = "/proc/thread-self/net/dev";

/// Index of the number after an interface's name that counts the packets that the interface dropped
/// instead of transmitting them: the fourth of the second eight (proc_net(5)).
const TRANSMIT_DROPPED: usize = 11;

/// The counters of an interface, which can be read from any network namespace.
#[derive(Debug)]
pub struct Counters {
    table: File,
    name: InterfaceName,
}

impl Counters {
    /// The counters of an interface in the network namespace of the calling thread.
    ///
    /// # Errors
    /// When the kernel's table cannot be opened.
    pub fn open(name: &InterfaceName) -> io::Result<Self> {
        Ok(Counters { table: File::open(TABLE)?, name: name.clone() })
    }

    /// Packets for the interface that the kernel dropped, because the program that reads them did
    /// not keep up.
    ///
    /// # Errors
    /// When the interface is gone, or the table cannot be read.
    pub fn transmit_dropped(&mut self) -> io::Result<u64> {
        let mut table = String::new();
        self.table.rewind()?;
        self.table.read_to_string(&mut table)?;
        let dropped = transmit_dropped(&table, self.name.as_str());
        dropped.ok_or_else(|| io::Error::other("the interface is not in the kernel's table"))
    }
}

fn transmit_dropped(table: &str, name: &str) -> Option<u64> {
    let mut lines = table.lines().filter_map(|line| line.trim_start().split_once(':'));
    let (_, numbers) = lines.find(|(interface, _)| *interface == name)?;
    numbers.split_whitespace().nth(TRANSMIT_DROPPED)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLE: &str = "\
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:   1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
tun0: 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116
";

    #[test]
    fn packets_dropped_before_transmission_are_found_in_the_kernels_table() {
        assert_eq!(transmit_dropped(EXAMPLE, "lo"), Some(12));
        assert_eq!(transmit_dropped(EXAMPLE, "tun0"), Some(112));
        assert_eq!(transmit_dropped(EXAMPLE, "tun"), None);
    }

    #[test]
    fn the_kernels_table_is_read_anew_each_time() {
        let mut counters = Counters::open(&"lo".parse().unwrap()).unwrap();
        let first = counters.transmit_dropped().unwrap();
        assert!(counters.transmit_dropped().unwrap() >= first);
    }
}
