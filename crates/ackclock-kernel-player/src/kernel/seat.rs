//! A seat for one script at a time: a thread's own network namespace with a device and settings.

use super::calls::{Sockets, init, own, try_option};
use super::device::{Device, NAME};
use super::settings::Settings;
use super::watchdog::{Watched, watch};
use crate::calls::Caller;
use crate::steps::{OUR_PORT, PEER_PORT};
use crate::table::Table;
use std::fs;
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::process::{Command, Stdio};
use std::sync::Arc;

const OURS: Ipv4Addr = Ipv4Addr::new(192, 168, 0, 1);
const OURS_V6: Ipv6Addr = Ipv6Addr::new(0xfd3d, 0xfa7b, 0xd17d, 0, 0, 0, 0, 1);

/// Ends of connections, ours first, where cookies of Fast Open are made of them: those of the library's scripts, and of
/// the testkit's.
pub(crate) const USUAL_ENDS: [Ipv4Addr; 2] = [OURS, Ipv4Addr::new(192, 0, 2, 1)];
pub(crate) const TESTKITS_ENDS: [Ipv4Addr; 2] =
    [Ipv4Addr::new(10, 0, 0, 1), Ipv4Addr::new(10, 0, 0, 2)];

/// What a script begins with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Beginning {
    pub(crate) settings: Settings,
    pub(crate) is_v6: bool,
    /// Cookies of Fast Open are made of addresses.
    pub(crate) needs_ends: Option<[Ipv4Addr; 2]>,
}

/// The namespace of the thread that made it.
pub(crate) struct Seat {
    pub(crate) device: Device,
    pub(crate) sockets: &'static Sockets,
    pub(crate) watched: Arc<Watched>,
    /// What is set now, if anything was.
    settings: Option<Settings>,
    /// Each script has a peer of its own, so that connections of earlier ones do not matter.
    peers: u16,
    /// Whether a script needed its own ends.
    has_had_ends: bool,
}

impl Seat {
    /// Moves the calling thread into a namespace of its own, where there is nothing but a device.
    ///
    /// # Errors
    /// What is missing: to be root, `/dev/net/tun`, `ip`.
    pub(crate) fn new() -> Result<Self, String> {
        // With a table of its own no program that another thread starts keeps this one's descriptors open.
        let own_spaces = libc::CLONE_NEWNET | libc::CLONE_FILES;
        // SAFETY: the thread neither takes open descriptors from others nor gives any but to those it starts.
        if unsafe { libc::unshare(own_spaces) } != 0 {
            let error = std::io::Error::last_os_error();
            return Err(format!("cannot make a network namespace ({error}): run it as root"));
        }
        let device =
            Device::open().map_err(|error| format!("cannot open /dev/net/tun: {error}"))?;
        for (name, value) in [
            ("ipv6/conf/all/accept_dad", "0"),
            ("ipv6/conf/default/accept_dad", "0"),
            (&format!("ipv6/conf/{NAME}/accept_dad"), "0"),
            (&format!("ipv6/conf/{NAME}/addr_gen_mode"), "1"),
            (&format!("ipv6/conf/{NAME}/router_solicitations"), "0"),
            ("ipv4/conf/all/rp_filter", "0"),
            ("ipv4/conf/default/rp_filter", "0"),
            (&format!("ipv4/conf/{NAME}/rp_filter"), "0"),
        ] {
            sysctl(name, value)?;
        }
        ip(&format!(
            "link set lo up\nlink set {NAME} txqueuelen 5000 up\naddr add {OURS}/24 dev {NAME}\n\
             addr add {}/24 dev {NAME}\naddr add {OURS_V6}/64 dev {NAME} nodad\nroute add default dev {NAME}\n\
             route add ::/0 dev {NAME}\n",
            TESTKITS_ENDS[0]
        ))?;
        let sockets: &'static Sockets = Box::leak(Box::default());
        own(sockets);
        Ok(Seat {
            device,
            sockets,
            watched: watch(),
            settings: None,
            peers: 0,
            has_had_ends: false,
        })
    }

    /// Makes the kernel what a script's flags say, and both ends' addresses of its first connection.
    ///
    /// # Errors
    /// A setting that the kernel refuses.
    pub(crate) fn begin(&mut self, beginning: &Beginning) -> Result<Caller, String> {
        let Beginning { settings, is_v6, needs_ends } = beginning;
        if needs_ends.is_some() && self.has_had_ends {
            self.watched.forget();
            *self = Seat::new()?;
        }
        self.set(settings)?;
        self.peers += 1;
        let [high, low] = self.peers.to_be_bytes();
        let (ours, peers): (IpAddr, IpAddr) = match (is_v6, needs_ends) {
            (false, Some([ours, peers])) => ((*ours).into(), (*peers).into()),
            (false, None) => (OURS.into(), [198, 18, high, low].into()),
            (true, _) => {
                (OURS_V6.into(), Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, self.peers, 1).into())
            }
        };
        self.has_had_ends |= needs_ends.is_some();
        let key = settings.md5_key.as_ref();
        let key = key.map(|key| key.option(SocketAddr::new(peers, PEER_PORT)));
        let law = (libc::TCP_CONGESTION, settings.law.as_bytes());
        let signature = key.as_deref().map(|key| (libc::TCP_MD5SIG, key));
        for (name, value) in [Some(law), signature].into_iter().flatten() {
            try_option(name, value).map_err(|error| {
                let what = if name == libc::TCP_MD5SIG { "TCP_MD5SIG" } else { settings.law };
                format!("this kernel refuses {what} ({error})")
            })?;
        }
        self.sockets.begin(settings.law, settings.delay_acks, key);
        let library = Table::new(init, "");
        Ok(Caller::new(library, SocketAddr::new(ours, OUR_PORT), SocketAddr::new(peers, PEER_PORT)))
    }

    fn set(&mut self, settings: &Settings) -> Result<(), String> {
        let before = self.settings.take();
        let had = |name: &str| before.as_ref().and_then(|before| before.sysctls.get(name));
        for (name, value) in &settings.sysctls {
            if had(name) != Some(value) {
                sysctl(name, value)?;
            }
        }
        let rest = |settings: &Settings| {
            let Settings { mtu, train, initial_window, ack_every, .. } = settings;
            (*mtu, *train, *initial_window, *ack_every)
        };
        if before.as_ref().map(rest) != Some(rest(settings)) {
            let Settings { mtu, train, .. } = settings;
            let window = settings.initial_window.map(|n| format!(" initcwnd {n}"));
            let quick = if settings.ack_every { " quickack 1" } else { "" };
            let window = window.unwrap_or_default() + quick;
            ip(&format!(
                "link set {NAME} mtu {mtu} gso_max_segs {train}\n\
                 route replace default dev {NAME}{window}\n\
                 route replace ::/0 dev {NAME}{window}\n"
            ))?;
        }
        self.settings = Some(settings.clone());
        Ok(())
    }
}

/// Sets a value of the calling thread's namespace.
fn sysctl(name: &str, value: &str) -> Result<(), String> {
    let path = format!("/proc/sys/net/{name}");
    fs::write(&path, value)
        .map_err(|error| format!("this kernel refuses {value} for {path} ({error})"))
}

/// Runs lines of iproute2's `ip`.
fn ip(lines: &str) -> Result<(), String> {
    let missing = |error| format!("cannot run ip ({error}): install iproute2");
    let mut command = Command::new("ip");
    let mut child = command
        .args(["-batch", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(missing)?;
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(lines.as_bytes()).map_err(missing)?;
    drop(input);
    let output = child.wait_with_output().map_err(missing)?;
    let told = String::from_utf8_lossy(&output.stderr);
    if output.status.success() { Ok(()) } else { Err(format!("ip refused `{lines}`: {told}")) }
}
