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

/// Create a TUN interface, or describe an existing one, and print the commands for routing and NAT of its
/// traffic to the Internet; --apply runs these too, and --undo reverts them
#[derive(Args, Debug)]
struct Tun {
    /// Name of the interface
    #[arg(value_name = "NAME")]
    name: String,
    /// Address of the stack, with its prefix; the kernel's end gets the first other address of the
    /// network
    #[arg(long, value_name = "CIDR", default_value = "10.7.0.2/24", value_parser = parse_cidr)]
    address: Vec<Cidr>,
    /// Number of the user who may use the interface without privileges [default: the user who runs
    /// this, also through sudo]
    #[arg(long, value_name = "UID")]
    owner: Option<u32>,
    /// Largest IP packet in bytes [default: 1500]
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(68..=65_535))]
    mtu: Option<u32>,
    /// Maximum number of queues that programs can use at a time
    #[arg(long, value_name = "NUMBER", default_value = "1", value_parser = queues())]
    queues: u16,
    /// Change nothing: print the commands that would be run
    #[arg(long)]
    dry_run: bool,
    /// Run the commands for routing and NAT too, except those whose effect is there already
    #[arg(long, conflicts_with = "dry_run")]
    apply: bool,
    /// Revert the changes of --apply; settings from before it stay
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
