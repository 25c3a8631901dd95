//! The TUN interface and our addresses on it.

use crate::values::parse_cidr;
use ackclock::stack::Cidr;
use clap::Args;

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
}
