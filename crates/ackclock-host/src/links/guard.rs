//! The guard: a firewall rule that drops the RSTs with which the kernel answers segments of our
//! stack's connections, which it does not know.
//!
//! The rule drops RSTs from certain ports of one address that no socket has sent: those of our
//! stack come from a socket. It stands before connection tracking (priority `raw`), which would
//! otherwise take the connection for closed. It is a table (nftables) or a chain (iptables) of its
//! own. The name has the number of this process, the time of its start, and a count, which
//! distinguish the rules of a crashed program from those of a running one, and the rules of one
//! program from each other.

use super::port_range::Ports;
use crate::system::command::{CommandError, CommandLine, Plan, command};
use std::fmt;
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};

/// The range of user numbers. Packets that the kernel sends of its own accord have no user.
const ANY_USER: &str = "0-4294967294";

/// The beginning of the names of our tables and chains.
const NAME: &str = "ackclock_";

/// The address and the ports whose RSTs are dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cover {
    /// An address of this host.
    pub address: Ipv4Addr,
    /// Ports of the address.
    pub ports: Ports,
}

impl Cover {
    /// The command that makes a permanent rule, for the firewall program that this host has.
    pub fn by_hand(&self) -> CommandLine {
        match Firewall::installed() {
            Ok(Firewall::Iptables) => self.rule("OUTPUT"),
            Ok(Firewall::Nftables) | Err(_) => {
                self.table(&format!("{NAME}ports_{}_{}", self.ports.first(), self.ports.last()))
            }
        }
    }

    /// The command that makes an nftables table with the rule.
    fn table(&self, name: &str) -> CommandLine {
        let Cover { address, ports } = self;
        let resets = format!("ip saddr {address} tcp sport {ports} tcp flags rst");
        let table = format!(
            "{{ chain output {{ type filter hook output priority raw; {resets} meta skuid \
             {ANY_USER} accept; {resets} drop; }}; }}"
        );
        command("nft", ["add", "table", "ip", name, &table])
    }

    /// The command that appends the rule to an iptables chain.
    fn rule(&self, chain: &str) -> CommandLine {
        let Cover { address, ports } = self;
        let (address, ports) = (address.to_string(), ports.to_string().replace('-', ":"));
        let resets = ["-s", &address, "-p", "tcp", "--sport", &ports, "--tcp-flags", "RST", "RST"];
        let sent_by_none = ["-m", "owner", "!", "--uid-owner", ANY_USER, "-j", "DROP"];
        iptables(["-A", chain].into_iter().chain(resets).chain(sent_by_none))
    }
}

/// The firewall programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Firewall {
    Nftables,
    Iptables,
}

impl Firewall {
    /// The program to use: nftables if it is installed, else iptables.
    fn installed() -> Result<Self, CommandError> {
        let Err(missing) = command("nft", ["--version"]).run() else {
            return Ok(Firewall::Nftables);
        };
        let iptables = command("iptables", ["--version"]).run();
        iptables.map(|_| Firewall::Iptables).map_err(|_| missing)
    }

    /// The commands that make the rule under this name.
    fn installation(self, name: &str, cover: &Cover) -> Plan {
        Plan::of(match self {
            Firewall::Nftables => vec![cover.table(name)],
            Firewall::Iptables => {
                let jump = iptables(["-I", "OUTPUT", "-j", name]);
                vec![iptables(["-N", name]), cover.rule(name), jump]
            }
        })
    }

    /// The commands that remove the rule of this name.
    fn removal(self, name: &str) -> Vec<CommandLine> {
        match self {
            Firewall::Nftables => vec![command("nft", ["delete", "table", "ip", name])],
            Firewall::Iptables => vec![
                iptables(["-D", "OUTPUT", "-j", name]),
                iptables(["-F", name]),
                iptables(["-X", name]),
            ],
        }
    }

    /// The names of all tables or chains, ours and others.
    fn names(self) -> Result<Vec<String>, CommandError> {
        let (list, before) = match self {
            Firewall::Nftables => (command("nft", ["list", "tables", "ip"]), "table ip "),
            Firewall::Iptables => (iptables(["-S"]), "-N "),
        };
        let text = list.run()?;
        let names = text.lines().filter_map(|line| line.strip_prefix(before));
        Ok(names.map(str::trim).map(str::to_owned).collect())
    }
}

/// An iptables command for the table that comes before connection tracking.
fn iptables<'a>(arguments: impl IntoIterator<Item = &'a str>) -> CommandLine {
    command("iptables", ["-w", "-t", "raw"].into_iter().chain(arguments))
}

/// A process: its number and the time of its start, since numbers are used again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Owner {
    process: u32,
    /// When it started, in the kernel's ticks since boot.
    start: u64,
}

impl Owner {
    /// This process.
    fn current() -> Option<Self> {
        Owner::of("self")
    }

    /// The process with this name in `/proc`; `None` if there is none, or if it has ended and its
    /// parent has not asked for its status yet.
    fn of(process: &str) -> Option<Self> {
        let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // proc_pid_stat(5): number, name in parentheses, state; the start is field 22.
        let (number, rest) = text.split_once(' ')?;
        let mut fields = rest.rsplit_once(')')?.1.split_whitespace();
        let state = fields.next()?;
        let start = fields.nth(18)?.parse().ok()?;
        let alive = !matches!(state, "Z" | "X");
        alive.then_some(Owner { process: number.parse().ok()?, start })
    }

    /// The name of one of the process's rules: at most 28 characters for decades of ticks, the
    /// limit of iptables.
    fn name(self, thing: u8) -> String {
        format!("{NAME}{:x}_{:x}_{thing:x}", self.process, self.start)
    }

    /// The process that a rule of this name belongs to; `None` for names of others.
    fn from_name(name: &str) -> Option<Self> {
        let mut parts = name.strip_prefix(NAME)?.split('_');
        let process = u32::from_str_radix(parts.next()?, 16).ok()?;
        let start = u64::from_str_radix(parts.next()?, 16).ok()?;
        u8::from_str_radix(parts.next()?, 16).ok()?;
        parts.next().is_none().then_some(Owner { process, start })
    }

    fn is_running(self) -> bool {
        Owner::of(&self.process.to_string()) == Some(self)
    }
}

/// Removes the rules of processes that have ended; returns how many there were.
///
/// # Errors
/// Names the command that failed and its error message.
pub fn remove_leftovers() -> Result<usize, CommandError> {
    let firewall = Firewall::installed()?;
    let mut removed = 0;
    for name in firewall.names()? {
        if Owner::from_name(&name).is_some_and(|owner| !owner.is_running()) {
            firewall.removal(&name).iter().try_for_each(|command| command.run().map(|_| ()))?;
            removed += 1;
        }
    }
    Ok(removed)
}

/// A rule that is removed when the guard is dropped.
#[derive(Debug)]
pub struct Guard(Arc<Installed>);

#[derive(Debug)]
struct Installed {
    firewall: Firewall,
    name: String,
    removed: Mutex<bool>,
}

/// How many rules this process has made, so that each has a name of its own.
static INSTALLED: AtomicU8 = AtomicU8::new(0);

impl Guard {
    /// Makes the rule.
    ///
    /// # Errors
    /// Says which command helps.
    pub fn install(cover: &Cover) -> Result<Self, GuardError> {
        let owner = Owner::current().ok_or(GuardError::NoProcess)?;
        let firewall = Firewall::installed()?;
        let name = owner.name(INSTALLED.fetch_add(1, Ordering::Relaxed));
        // The guard exists before the rule, so that a rule that is only half made is removed again.
        let guard = Guard(Arc::new(Installed { firewall, name, removed: Mutex::new(false) }));
        firewall.installation(&guard.0.name, cover).run()?;
        Ok(guard)
    }

    /// A function that removes the rule from another thread, for a process that ends at once.
    pub fn remover(&self) -> impl Fn() + Send + Sync + 'static {
        let installed = Arc::clone(&self.0);
        move || installed.remove()
    }
}

impl Installed {
    fn remove(&self) {
        // A second call waits for the first: when this returns, the rule is gone.
        let Ok(mut removed) = self.removed.lock() else {
            return;
        };
        if !std::mem::replace(&mut removed, true) {
            for command in self.firewall.removal(&self.name) {
                // Commands fail for parts that were never made; what stays is removed at the next
                // start.
                let _ = command.run();
            }
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.remove();
    }
}

/// Why the rule could not be made.
#[derive(Debug)]
#[non_exhaustive]
pub enum GuardError {
    /// The entry of this process in `/proc` cannot be read.
    NoProcess,
    /// A command failed.
    Command(CommandError),
}

impl From<CommandError> for GuardError {
    fn from(error: CommandError) -> Self {
        GuardError::Command(error)
    }
}

impl fmt::Display for GuardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GuardError::NoProcess => f.write_str(
                "cannot read /proc/self/stat: mount it with 'sudo mount -t proc proc /proc'",
            ),
            GuardError::Command(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for GuardError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn cover() -> Cover {
        Cover { address: Ipv4Addr::new(192, 0, 2, 7), ports: "61000-61063".parse().unwrap() }
    }

    #[test]
    fn the_rule_names_address_ports_and_what_no_socket_sent() {
        assert_eq!(
            Firewall::Nftables.installation("t", &cover()).to_string(),
            "nft add table ip t '{ chain output { type filter hook output priority raw; ip saddr \
             192.0.2.7 tcp sport 61000-61063 tcp flags rst meta skuid 0-4294967294 accept; ip saddr \
             192.0.2.7 tcp sport 61000-61063 tcp flags rst drop; }; }'\n"
        );
        assert_eq!(
            Firewall::Iptables.installation("t", &cover()).to_string(),
            "iptables -w -t raw -N t\n\
             iptables -w -t raw -A t -s 192.0.2.7 -p tcp --sport 61000:61063 --tcp-flags RST RST -m \
             owner ! --uid-owner 0-4294967294 -j DROP\n\
             iptables -w -t raw -I OUTPUT -j t\n"
        );
    }

    #[test]
    fn a_name_tells_its_owner_and_other_names_tell_none() {
        let owner = Owner { process: 4_194_304, start: 31_556_926_000 };
        assert_eq!(owner.name(255), "ackclock_400000_758f07a30_ff");
        assert!(owner.name(255).len() <= 28);
        assert_ne!(owner.name(0), owner.name(1));
        assert_eq!(Owner::from_name(&owner.name(255)), Some(owner));
        let others = ["ackclock_ports_61000_61063", "ackclock_1_2", "filter", "xackclock_1_2_3"];
        for name in others.into_iter().chain(["ackclock_1_2_3_4", "ackclock_1_2_100"]) {
            assert_eq!(Owner::from_name(name), None, "{name}");
        }
    }

    #[test]
    fn this_process_runs_and_one_that_started_at_another_time_does_not() {
        let own = Owner::current().unwrap();
        assert_eq!(own.process, std::process::id());
        assert!(own.is_running());
        assert!(!Owner { start: own.start + 1, ..own }.is_running());
    }

    #[test]
    fn a_process_that_is_over_does_not_run_though_nobody_has_looked() {
        let mut child = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        let owner = Owner::of(&child.id().to_string()).unwrap();
        assert!(owner.is_running());
        child.kill().unwrap();
        while owner.is_running() {
            std::thread::yield_now();
        }
        child.wait().unwrap();
        assert!(!owner.is_running());
    }
}
