//! `ackclock setup`

use crate::failure::Failure;
use crate::options::queues;
#[cfg(target_os = "linux")]
use crate::setup::{self, Action, TunSettings};
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
struct Tun {
    /// Name of the interface
    #[arg(value_name = "NAME")]
    name: String,
    /// Address that the stack will have, with its prefix; the kernel's end follows from it: the
    /// first other address of the network
    #[arg(long, value_name = "CIDR", default_value = "10.7.0.2/24", value_parser = parse_cidr)]
    address: Vec<Cidr>,
    /// Number of the user who may use the interface without privilege [default: who runs this, or
    /// sudo]
    #[arg(long, value_name = "UID")]
    owner: Option<u32>,
    /// Largest IP packet in bytes [default: 1500]
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(68..=65_535))]
    mtu: Option<u32>,
    /// Queues that the interface can be used with: one, or several at a time
    #[arg(long, value_name = "NUMBER", default_value = "1", value_parser = queues())]
    queues: u16,
    /// Change nothing: print the commands that would be run
    #[arg(long)]
    dry_run: bool,
    /// Run the commands that route and translate too; what is so already is left alone
    #[arg(long, conflicts_with = "dry_run")]
    apply: bool,
    /// Undo what --apply has done: what was there before stays
    #[arg(long, conflicts_with_all = ["dry_run", "apply", "address", "owner", "mtu", "queues"])]
    undo: bool,
}

impl Setup {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        match &self.what {
            #[cfg(target_os = "linux")]
            What::Tun(tun) => setup::tun(&tun.settings()),
            #[cfg(not(target_os = "linux"))]
            What::Tun(tun) => Err(Failure::elsewhere(&format!("interface {}", tun.name))),
        }
    }
}

#[cfg(target_os = "linux")]
impl Tun {
    fn settings(&self) -> TunSettings {
        let action = match (self.undo, self.dry_run, self.apply) {
            (true, ..) => Action::Undo,
            (_, true, _) => Action::DryRun,
            (.., true) => Action::Apply,
            _ => Action::Make,
        };
        TunSettings {
            name: self.name.clone(),
            addresses: self.address.clone(),
            owner: self.owner,
            mtu: self.mtu,
            queues: self.queues,
            action,
        }
    }
}
