//! `ackclock setup`

use crate::failure::Failure;
use crate::options::queues;
use crate::values::parse_cidr;
use ackclock::stack::Cidr;
use clap::{Args, Subcommand};

/// Prepare the system
#[derive(Args, Debug)]
pub(crate) struct Setup {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    Tun(Tun),
}

/// Make a TUN interface, or describe the one that is there, and print the commands that route and
/// translate its traffic to the Internet; or run those too, and undo it all
#[derive(Args, Debug)]
pub(crate) struct Tun {
    /// Name of the interface
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Address that the stack will have, with its prefix; the kernel's end follows from it: the
    /// first other address of the network
    #[arg(long, value_name = "CIDR", default_value = "10.7.0.2/24", value_parser = parse_cidr)]
    pub(crate) address: Vec<Cidr>,
    /// Number of the user who may use the interface without privilege [default: who runs this, or
    /// sudo]
    #[arg(long, value_name = "UID")]
    pub(crate) owner: Option<u32>,
    /// Largest IP packet in bytes [default: 1500]
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(68..=65_535))]
    pub(crate) mtu: Option<u32>,
    /// Queues that the interface can be used with: one, or several at a time
    #[arg(long, value_name = "NUMBER", default_value = "1", value_parser = queues())]
    pub(crate) queues: u16,
    /// Change nothing: print the commands that would be run
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Run the commands that route and translate too; what is so already is left alone
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) apply: bool,
    /// Undo what --apply has done: what was there before stays
    #[arg(long, conflicts_with_all = ["dry_run", "apply", "address", "owner", "mtu", "queues"])]
    pub(crate) undo: bool,
}

impl Setup {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        match &self.what {
            #[cfg(target_os = "linux")]
            What::Tun(tun) => crate::setup::tun(tun),
            #[cfg(not(target_os = "linux"))]
            What::Tun(tun) => Err(Failure::elsewhere(&format!("interface {}", tun.name))),
        }
    }
}
