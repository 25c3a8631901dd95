//! Choice of the TCP that a command uses: this program's, by some way out, or the kernel's.

use crate::way::Via;
use clap::ValueEnum;

/// Value of `--via` where the kernel's TCP can be chosen too.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TcpChoice {
    Tun,
    Raw,
    Packet,
    Kernel,
}

impl TcpChoice {
    /// Way out of this program's TCP; `None` for the kernel's.
    pub(crate) fn way(self) -> Option<Via> {
        match self {
            TcpChoice::Tun => Some(Via::Tun),
            TcpChoice::Raw => Some(Via::Raw),
            TcpChoice::Packet => Some(Via::Packet),
            TcpChoice::Kernel => None,
        }
    }
}
