//! Network namespaces in which a contestant serves the kernel's sockets.
//!
//! ```text
//! without a path   kernel (clients) ---- TUN ---- contestant
//! with a path      kernel (clients) ---- emulated path ---- kernel (forwards) ---- TUN ---- contestant
//! ```
//!
//! In the place of a contestant over TUN the kernel itself is at the other end of a veth pair.

use crate::contestants::{Contestant, DEVICE};
use crate::process::Process;
use ackclock_host::namespace::Namespace;
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// What namespaces are called, before a number and what is in them.
pub const NAME: &str = "ackclock-sockets";

/// The device at the clients' end of a path, and at the other.
const PATH: &str = "path0";

/// Settings of each namespace. Without IPv6 the kernel sends nothing by itself while all is idle.
const SETTINGS: [(&str, &str); 2] = [
    ("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1"),
    ("/proc/sys/net/ipv4/ip_forward", "1"),
];

/// How a path is emulated.
pub struct Emulation<'a> {
    /// The program `ackclock`.
    pub program: &'a str,
    pub path: &'a str,
    pub seed: u64,
}

/// Namespaces with a contestant in them; they go when this does.
pub struct World {
    /// What is ended first.
    path: Option<Child>,
    clients: Namespace,
    all: Vec<Namespace>,
}

impl World {
    /// A world for this contestant.
    pub fn new(contestant: &Contestant, emulation: Option<&Emulation<'_>>) -> io::Result<Self> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Relaxed);
        let namespace = |of: &str| format!("{NAME}-{number}-{of}").parse().map_err(io::Error::other);
        let near: Namespace = namespace("near")?;
        let mut world = World { path: None, clients: near.clone(), all: Vec::new() };
        world.add(&near)?;
        if contestant.is_kernel {
            let far = namespace("far")?;
            world.add(&far)?;
            ip(&format!(
                "link add {DEVICE} netns {near} type veth peer name {DEVICE} netns {far}"
            ))?;
            up(&far, DEVICE, "10.7.0.2/24")?;
            ip(&format!("-n {far} route add default via 10.7.0.1"))?;
        } else {
            ip(&format!("-n {near} tuntap add dev {DEVICE} mode tun"))?;
        }
        up(&near, DEVICE, "10.7.0.1/24")?;
        if let Some(emulation) = emulation {
            let clients = namespace("clients")?;
            world.add(&clients)?;
            world.path = Some(emulation.start(&clients, &near)?);
            ip(&format!("-n {clients} route add 10.7.0.0/24 via 10.9.0.2"))?;
            world.clients = clients;
        }
        Ok(world)
    }

    fn add(&mut self, namespace: &Namespace) -> io::Result<()> {
        ip(&format!("netns add {namespace}"))?;
        self.all.push(namespace.clone());
        ip(&format!("-n {namespace} link set dev lo up"))?;
        let set = || SETTINGS.iter().try_for_each(|(file, value)| fs::write(file, value));
        namespace.run(set).map_err(io::Error::other)?
    }

    /// Starts the contestant, where it is to serve.
    pub fn start(&self, contestant: &Contestant) -> io::Result<Process> {
        let place = &self.all[usize::from(contestant.is_kernel)];
        place.run(|| Process::start(contestant)).map_err(io::Error::other)?
    }

    /// Does what clients do.
    pub fn as_client<T: Send>(&self, work: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
        self.clients.run(work).map_err(io::Error::other)?
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if let Some(path) = &mut self.path {
            // It may have ended by itself.
            let _ = path.kill();
            let _ = path.wait();
        }
        for namespace in &self.all {
            if let Err(error) = ip(&format!("netns delete {namespace}")) {
                eprintln!("{error}");
            }
        }
    }
}

impl Emulation<'_> {
    /// Joins the namespaces; returns when packets can pass.
    fn start(&self, left: &Namespace, right: &Namespace) -> io::Result<Child> {
        let mut command = Command::new(self.program);
        command.args(["emulate", "--left", &format!("ns:{left}/{PATH}=10.9.0.1/24")]);
        command.args(["--right", &format!("ns:{right}/{PATH}=10.9.0.2/24")]);
        command.args(["--path", self.path, "--seed", &self.seed.to_string(), "--json"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let mut said = String::new();
        BufReader::new(child.stderr.take().expect("a pipe was asked for")).read_line(&mut said)?;
        if said.starts_with("emulating") { Ok(child) } else { Err(io::Error::other(said)) }
    }
}

fn up(namespace: &Namespace, device: &str, address: &str) -> io::Result<()> {
    ip(&format!("-n {namespace} address add {address} dev {device}"))?;
    ip(&format!("-n {namespace} link set dev {device} up"))
}

fn ip(arguments: &str) -> io::Result<()> {
    let output = Command::new("ip").args(arguments.split_whitespace()).output()?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(io::Error::other(format!("ip {arguments}: {}", said.trim())))
}
