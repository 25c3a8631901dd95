//! Who may open connections fast, and with which keys.

use ackclock::tcp::FastOpenMode;

/// How a key is to be written.
pub(super) const KEY_FORM: &str = "use four groups of eight hexadecimal digits, as in \
    00000000-00000000-00000000-00000000, or two such keys with a colon between";

/// What the kernel's `net.ipv4.tcp_fastopen` says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FastOpenRules {
    /// What MSG_FASTOPEN and TCP_FASTOPEN_CONNECT may do.
    pub(crate) client: FastOpenMode,
    /// What TCP_FASTOPEN of a listener does.
    pub(crate) server: FastOpenMode,
    /// Listeners that set no TCP_FASTOPEN have one as long as their backlog.
    pub(crate) all_listeners: bool,
}

impl Default for FastOpenRules {
    fn default() -> Self {
        let (client, server) = (FastOpenMode::On, FastOpenMode::On);
        FastOpenRules { client, server, all_listeners: false }
    }
}

impl FastOpenRules {
    /// Reads the kernel's bits: 1 clients, 2 servers, 4 clients without a cookie, 0x200 servers without
    /// one, 0x400 all listeners.
    pub(super) fn from_bits(bits: u32) -> Self {
        let mode = |on, without_cookie| match (bits & on, bits & without_cookie) {
            (0, _) => FastOpenMode::Off,
            (_, 0) => FastOpenMode::On,
            _ => FastOpenMode::WithoutCookie,
        };
        FastOpenRules {
            client: mode(1, 4),
            server: mode(2, 0x200),
            all_listeners: bits & 0x400 != 0,
        }
    }
}

/// One key or two, as the kernel's `net.ipv4.tcp_fastopen_key` has them; with one, both are the same.
pub(super) fn keys(text: &str) -> Option<[[u8; 16]; 2]> {
    let mut keys = text.split(':').map(key);
    let first = keys.next()??;
    let second = keys.next().unwrap_or(Some(first))?;
    keys.next().is_none().then_some([first, second])
}

/// Each group is a number of 32 bits, of which the key has the lowest byte first.
fn key(text: &str) -> Option<[u8; 16]> {
    let mut key = [0; 16];
    let mut groups = text.split('-');
    for place in key.chunks_mut(4) {
        let group = groups.next().filter(|group| group.len() == 8)?;
        place.copy_from_slice(&u32::from_str_radix(group, 16).ok()?.to_le_bytes());
    }
    groups.next().is_none().then_some(key)
}
