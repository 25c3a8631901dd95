//! The TUN interface and our addresses on it.

use crate::values::parse_cidr;
use ackclock::stack::Cidr;
use clap::{Args, ValueEnum};

/// The TUN interface and our addresses on it.
#[derive(Args, Clone, Debug)]
pub(crate) struct InterfaceOptions {
    /// TUN interface; one that does not exist is made for this run, which takes root
    #[arg(long, value_name = "NAME", requires = "address")]
    pub(crate) tun: Option<String>,
    /// Address of this stack (not the kernel's) with its prefix, such as 10.7.0.2/24; may be given
    /// once for each family
    #[arg(long, value_name = "CIDR", requires = "tun", value_parser = parse_cidr)]
    pub(crate) address: Vec<Cidr>,
    /// Whether the kernel segments and computes checksums in this stack's place, which is faster: if
    /// it can, or else fail, or not at all
    #[arg(long, value_name = "WHEN", requires = "tun", default_value = "auto")]
    pub(crate) offload: Offload,
}

/// When the kernel segments, and computes checksums, in our place.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Offload {
    /// If it can
    Auto,
    /// It must
    On,
    /// Not at all
    Off,
}

impl Offload {
    /// The word for it.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Offload::Auto => "auto",
            Offload::On => "on",
            Offload::Off => "off",
        }
    }
}
