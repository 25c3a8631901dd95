//! The commands that make a TUN interface, give the kernel its address, and route to the Internet.
//!
//! The kernel has one end of the interface and the stack the other. The kernel's address follows
//! from the *stack's* address, say 10.7.0.2/24: it is the first address of the network
//! (10.7.0.1/24), or the second if the stack has the first. The kernel then routes 10.7.0.0/24
//! through the interface, and the stack's packets to other networks leave the machine once
//! forwarding and NAT are on.

use super::changes::{Change, Changes, ChangesError};
use super::command::{CommandError, CommandLine, Plan, command};
use super::interface::{self, InterfaceName};
use ackclock::stack::Cidr;
use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A TUN interface to be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TunSetup {
    /// The interface's name.
    pub name: InterfaceName,
    /// Number of the user who may attach to the interface without privileges; `None` for root only.
    pub owner: Option<u32>,
    /// Whether the interface is made for several queues, or for one.
    pub several_queues: bool,
    /// The MTU in bytes; `None` for the kernel's choice (1500).
    pub mtu: Option<u32>,
    /// The addresses of the *stack* with their prefixes.
    pub addresses: Vec<Cidr>,
}

impl TunSetup {
    /// An interface with one queue and the kernel's MTU, to which only root may attach.
    pub fn new(name: InterfaceName, addresses: Vec<Cidr>) -> Self {
        TunSetup { name, owner: None, several_queues: false, mtu: None, addresses }
    }

    /// The command that creates the interface, so that it stays until it is deleted.
    pub fn creation(&self) -> Plan {
        let mut create = command("ip", ["tuntap", "add", "dev", self.name.as_str(), "mode", "tun"]);
        if let Some(owner) = self.owner {
            create.extend(["user".into(), owner.to_string()]);
        }
        if self.several_queues {
            create.extend(["multi_queue".into()]);
        }
        Plan::of(vec![create])
    }

    /// The commands that give an existing interface its MTU and the kernel's addresses, and take
    /// it up. They may be repeated.
    ///
    /// # Errors
    /// [`NoKernelAddress`] if a prefix has no room for two addresses.
    pub fn configuration(&self) -> Result<Plan, NoKernelAddress> {
        let addresses: Result<Vec<_>, _> = self.addresses.iter().copied().map(kernel_end).collect();
        let (name, mtu) = (self.name.clone(), self.mtu);
        let kernel = KernelEnd { name, mtu, transmit_queue: None, addresses: addresses? };
        Ok(kernel.configuration())
    }

    /// The commands that let the stack reach the Internet: forwarding, and NAT for what leaves
    /// through another interface.
    pub fn routing(&self) -> Plan {
        let mut plan = Vec::new();
        for &address in &self.addresses {
            plan.push(command("sysctl", ["-w", &format!("{}=1", forwarding(address))]));
            plan.extend(self.rules(address).iter().map(|rule| rule.command("-A")));
        }
        Plan::of(plan)
    }

    /// The rules of the firewall for an address.
    fn rules(&self, address: Cidr) -> [Rule; 3] {
        let name = self.name.as_str();
        let program = if address.address.is_ipv4() { "iptables" } else { "ip6tables" };
        let network = network(address).to_string();
        let rule = |table: &[&'static str], chain, rest: &[&str]| Rule {
            program,
            table: table.to_vec(),
            chain,
            rest: rest.iter().map(|&word| word.to_owned()).collect(),
        };
        let nat = ["-s", &network, "!", "-o", name, "-j", "MASQUERADE"];
        let back = ["-o", name, "-m", "conntrack", "--ctstate", "RELATED,ESTABLISHED"];
        [
            rule(&["-t", "nat"], "POSTROUTING", &nat),
            rule(&[], "FORWARD", &["-i", name, "-j", "ACCEPT"]),
            rule(&[], "FORWARD", &[&back[..], &["-j", "ACCEPT"]].concat()),
        ]
    }

    /// Makes the interface, configures it, and sets up routing and NAT. Steps that have been done
    /// are left out. Records how to undo its changes. May be repeated.
    ///
    /// # Errors
    /// The step that failed. Earlier steps are recorded.
    pub fn apply_all(&self) -> Result<(), SetupError> {
        let configuration = self.configuration()?;
        let mut changes = Changes::of(&self.name)?;
        if interface::exists(&self.name)? {
            for change in self.reconfiguration()? {
                changes.make(change)?;
            }
        } else {
            let delete = command("ip", ["link", "delete", "dev", self.name.as_str()]);
            for make in self.creation().commands() {
                changes.make(Change { make: make.clone(), undo: Some(delete.clone()) })?;
            }
            // Deleting the interface undoes its configuration.
            configuration.run()?;
        }
        for &address in &self.addresses {
            let key = forwarding(address);
            let before = command("sysctl", ["-n", key]).run()?;
            let set = |value: &str| command("sysctl", ["-w", &format!("{key}={}", value.trim())]);
            if before.trim() != "1" {
                changes.make(Change { make: set("1"), undo: Some(set(&before)) })?;
            }
            for rule in self.rules(address) {
                if rule.command("-C").run().is_err() {
                    let undo = Some(rule.command("-D"));
                    changes.make(Change { make: rule.command("-A"), undo })?;
                }
            }
        }
        Ok(())
    }

    /// The changes that an existing interface needs.
    fn reconfiguration(&self) -> Result<Vec<Change>, SetupError> {
        let name = self.name.as_str();
        let link = |words: &[&str]| {
            command("ip", ["link", "set", "dev", name].into_iter().chain(words.iter().copied()))
        };
        let mut missing = Vec::new();
        // This comes first, so that it is undone last: an interface that is down loses its IPv6
        // addresses by itself.
        if !interface::is_up(&self.name)? {
            missing.push(Change { make: link(&["up"]), undo: Some(link(&["down"])) });
        }
        let mtu = interface::mtu(&self.name)?;
        if let Some(wanted) = self.mtu.filter(|wanted| *wanted != mtu) {
            let set = |mtu: u32| link(&["mtu", &mtu.to_string()]);
            missing.push(Change { make: set(wanted), undo: Some(set(mtu)) });
        }
        let there = command("ip", ["-o", "address", "show", "dev", name]).run()?;
        for &stack in &self.addresses {
            let address = kernel_end(stack)?.to_string();
            if !there.split_whitespace().any(|word| word == address) {
                let undo = command("ip", ["address", "delete", &address, "dev", name]);
                missing
                    .push(Change { make: add_address(kernel_end(stack)?, name), undo: Some(undo) });
            }
        }
        Ok(missing)
    }

    /// Creates the interface unless it is there, and configures it.
    ///
    /// # Errors
    /// Names the command that failed and its error message.
    pub fn apply(&self) -> Result<(), SetupError> {
        let configuration = self.configuration()?;
        if !interface::exists(&self.name)? {
            self.creation().run()?;
        }
        Ok(configuration.run()?)
    }
}

/// The kernel's end of an interface.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KernelEnd {
    /// The interface's name.
    pub name: InterfaceName,
    /// The MTU in bytes; `None` leaves it as it is.
    pub mtu: Option<u32>,
    /// Maximum number of packets that wait to be read; `None` leaves it as it is.
    pub transmit_queue: Option<u32>,
    /// The kernel's addresses on the interface.
    pub addresses: Vec<Cidr>,
}

impl KernelEnd {
    /// The commands that configure an existing interface like this, and take it up. They may be
    /// repeated.
    pub fn configuration(&self) -> Plan {
        let name = self.name.as_str();
        let mut plan = Vec::new();
        for (property, value) in [("mtu", self.mtu), ("txqueuelen", self.transmit_queue)] {
            if let Some(value) = value {
                let value = value.to_string();
                plan.push(command("ip", ["link", "set", "dev", name, property, &value]));
            }
        }
        for &address in &self.addresses {
            plan.push(add_address(address, name));
        }
        plan.push(command("ip", ["link", "set", "dev", name, "up"]));
        Plan::of(plan)
    }
}

/// The command that gives an interface an address, if it does not have it yet.
fn add_address(address: Cidr, name: &str) -> CommandLine {
    let mut add = command("ip", ["address", "replace", &address.to_string(), "dev", name]);
    if address.address.is_ipv6() {
        // Without duplicate address detection the address can be used at once.
        add.extend(["nodad".into()]);
    }
    add
}

/// The sysctl that switches forwarding for an address's family.
fn forwarding(address: Cidr) -> &'static str {
    match address.address {
        IpAddr::V4(_) => "net.ipv4.ip_forward",
        IpAddr::V6(_) => "net.ipv6.conf.all.forwarding",
    }
}

/// A rule of the firewall.
struct Rule {
    program: &'static str,
    table: Vec<&'static str>,
    chain: &'static str,
    rest: Vec<String>,
}

impl Rule {
    /// The command that appends the rule (`-A`), deletes it (`-D`) or looks for it (`-C`).
    fn command(&self, operation: &'static str) -> CommandLine {
        let place = self.table.iter().copied().chain([operation, self.chain]);
        command(self.program, place.chain(self.rest.iter().map(String::as_str)))
    }
}

/// The kernel's address that follows from a stack's address, see the [module](self).
///
/// # Errors
/// [`NoKernelAddress`] if the prefix has no room for two addresses.
pub fn kernel_end(stack: Cidr) -> Result<Cidr, NoKernelAddress> {
    let bits: u8 = if stack.address.is_ipv4() { 32 } else { 128 };
    let host_bits = match bits.checked_sub(stack.prefix) {
        None | Some(0) => return Err(NoKernelAddress(stack)),
        Some(host_bits) => host_bits,
    };
    // In a network of two addresses both are hosts (RFC 3021, RFC 6164); in larger ones the first
    // address is the network's own.
    let first = if host_bits == 1 { 0 } else { 1 };
    let base = network(stack);
    let candidate = [offset(base, first), offset(base, first + 1)];
    let kernel = candidate.into_iter().find(|kernel| *kernel != stack);
    kernel.ok_or(NoKernelAddress(stack))
}

/// The network's own address: all host bits zero.
fn network(cidr: Cidr) -> Cidr {
    let address = match cidr.address {
        IpAddr::V4(address) => {
            let host = u32::MAX.checked_shr(cidr.prefix.into()).unwrap_or(0);
            IpAddr::V4(Ipv4Addr::from_bits(address.to_bits() & !host))
        }
        IpAddr::V6(address) => {
            let host = u128::MAX.checked_shr(cidr.prefix.into()).unwrap_or(0);
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !host))
        }
    };
    Cidr { address, ..cidr }
}

/// The address `by` after a network's own.
fn offset(network: Cidr, by: u8) -> Cidr {
    let address = match network.address {
        IpAddr::V4(base) => IpAddr::V4(Ipv4Addr::from_bits(base.to_bits() | u32::from(by))),
        IpAddr::V6(base) => IpAddr::V6(Ipv6Addr::from_bits(base.to_bits() | u128::from(by))),
    };
    Cidr { address, ..network }
}

/// The error for a prefix that has no room for an address of the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoKernelAddress(pub Cidr);

impl fmt::Display for NoKernelAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cidr { address, prefix } = self.0;
        write!(
            f,
            "{address}/{prefix} leaves no address for the kernel's end: use a shorter prefix, such \
             as {address}/{}",
            if address.is_ipv4() { 24 } else { 64 }
        )
    }
}

impl std::error::Error for NoKernelAddress {}

/// Why an interface could not be set up.
#[derive(Debug)]
#[non_exhaustive]
pub enum SetupError {
    /// A prefix is too long.
    Address(NoKernelAddress),
    /// A command failed.
    Command(CommandError),
    /// A change could not be made.
    Change(ChangesError),
    /// The kernel could not be asked about the interface.
    Interface(io::Error),
}

impl From<NoKernelAddress> for SetupError {
    fn from(error: NoKernelAddress) -> Self {
        SetupError::Address(error)
    }
}

impl From<CommandError> for SetupError {
    fn from(error: CommandError) -> Self {
        SetupError::Command(error)
    }
}

impl From<ChangesError> for SetupError {
    fn from(error: ChangesError) -> Self {
        SetupError::Change(error)
    }
}

impl From<io::Error> for SetupError {
    fn from(error: io::Error) -> Self {
        SetupError::Interface(error)
    }
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SetupError::Address(error) => error.fmt(f),
            SetupError::Command(error) => error.fmt(f),
            SetupError::Change(error) => error.fmt(f),
            SetupError::Interface(error) => {
                write!(f, "cannot ask the kernel about its interfaces: {error}")
            }
        }
    }
}

impl std::error::Error for SetupError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn cidr(address: &str, prefix: u8) -> Cidr {
        Cidr { address: address.parse().unwrap(), prefix }
    }

    fn setup() -> TunSetup {
        let addresses = vec![cidr("10.7.0.2", 24), cidr("fd07::2", 64)];
        let setup = TunSetup::new("tun7".parse().unwrap(), addresses);
        TunSetup { owner: Some(1000), mtu: Some(1400), ..setup }
    }

    #[test]
    fn creation_gives_the_interface_to_its_owner() {
        let create = "ip tuntap add dev tun7 mode tun user 1000";
        assert_eq!(setup().creation().to_string(), format!("{create}\n"));
        let several = TunSetup { several_queues: true, ..setup() };
        assert_eq!(several.creation().to_string(), format!("{create} multi_queue\n"));
    }

    #[test]
    fn configuration_gives_the_kernel_its_end_of_both_networks() {
        assert_eq!(
            setup().configuration().unwrap().to_string(),
            "ip link set dev tun7 mtu 1400\n\
             ip address replace 10.7.0.1/24 dev tun7\n\
             ip address replace fd07::1/64 dev tun7 nodad\n\
             ip link set dev tun7 up\n"
        );
    }

    #[test]
    fn the_kernels_end_has_what_is_given_and_is_up() {
        let name = "tun7".parse().unwrap();
        let addresses = vec![cidr("10.9.0.1", 24)];
        let end = KernelEnd { name, mtu: None, transmit_queue: Some(5000), addresses };
        assert_eq!(
            end.configuration().to_string(),
            "ip link set dev tun7 txqueuelen 5000\n\
             ip address replace 10.9.0.1/24 dev tun7\n\
             ip link set dev tun7 up\n"
        );
    }

    #[test]
    fn routing_forwards_and_translates_both_families() {
        assert_eq!(
            setup().routing().to_string(),
            "sysctl -w net.ipv4.ip_forward=1\n\
             iptables -t nat -A POSTROUTING -s 10.7.0.0/24 ! -o tun7 -j MASQUERADE\n\
             iptables -A FORWARD -i tun7 -j ACCEPT\n\
             iptables -A FORWARD -o tun7 -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT\n\
             sysctl -w net.ipv6.conf.all.forwarding=1\n\
             ip6tables -t nat -A POSTROUTING -s fd07::/64 ! -o tun7 -j MASQUERADE\n\
             ip6tables -A FORWARD -i tun7 -j ACCEPT\n\
             ip6tables -A FORWARD -o tun7 -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT\n"
        );
    }

    #[test]
    fn the_kernel_has_the_first_address_that_the_stack_has_not() {
        let cases = [
            (cidr("10.7.0.2", 24), cidr("10.7.0.1", 24)),
            (cidr("10.7.0.1", 24), cidr("10.7.0.2", 24)),
            (cidr("10.255.255.254", 8), cidr("10.0.0.1", 8)),
            (cidr("192.0.2.6", 31), cidr("192.0.2.7", 31)),
            (cidr("192.0.2.7", 31), cidr("192.0.2.6", 31)),
            (cidr("fd07::2", 64), cidr("fd07::1", 64)),
            (cidr("fd07::1", 127), cidr("fd07::", 127)),
        ];
        for (stack, kernel) in cases {
            assert_eq!(kernel_end(stack), Ok(kernel));
        }
    }

    #[test]
    fn a_prefix_without_room_or_out_of_range_is_refused() {
        for stack in
            [cidr("10.7.0.2", 32), cidr("10.7.0.2", 33), cidr("fd07::2", 128), cidr("fd07::2", 255)]
        {
            assert_eq!(kernel_end(stack), Err(NoKernelAddress(stack)));
        }
    }
}
