//! Keys that sign the segments of all connections of a scenario.

use super::error::{ScenarioError, Source};
use super::file::File;
use crate::emulator::Emulator;
use crate::ids::HostId;
use crate::observer::Observer;
use crate::topology::Topology;
use ackclock::congestion::BuiltIn;
use ackclock::stack::{Cidr, KeyError, KeyScope, Stack};
use ackclock::time::{Duration, Instant};
use ackclock::wire::ao::AoKey;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use toml::Spanned;

/// Everybody.
const ALL: [Cidr; 2] = [
    Cidr { address: IpAddr::V4(Ipv4Addr::UNSPECIFIED), prefix: 0 },
    Cidr { address: IpAddr::V6(Ipv6Addr::UNSPECIFIED), prefix: 0 },
];

/// The keys of all hosts.
#[derive(Clone, Debug, Default)]
pub(super) struct Keys {
    md5: Option<String>,
    /// As [`AoKey::read`] reads them.
    ao: Vec<String>,
    rollovers: Vec<Rollover>,
}

/// From some time on another key is asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rollover {
    pub(super) at: Duration,
    /// SendID and RecvID of the host that is listed first.
    ids: (u8, u8),
}

impl Rollover {
    /// The RecvID of the key at one end of a connection.
    pub(super) fn recv_id(&self, host: HostId, peer: HostId) -> u8 {
        if host < peer { self.ids.1 } else { self.ids.0 }
    }
}

impl Keys {
    /// Reads those of a file.
    ///
    /// # Errors
    /// Says which key cannot be used.
    pub(super) fn of(
        file: &File,
        topology: &Topology,
        source: &Source<'_>,
    ) -> Result<Self, ScenarioError> {
        for spanned in &file.ao_keys {
            let wrong = |problem: String| source.problem(spanned, "ao_keys", problem);
            AoKey::read(spanned.get_ref()).map_err(|error| wrong(error.to_string()))?;
        }
        let text = |spanned: &Spanned<String>| spanned.get_ref().clone();
        let mut keys = Keys {
            md5: file.md5_key.as_ref().map(text),
            ao: file.ao_keys.iter().map(text).collect(),
            rollovers: Vec::new(),
        };
        let place = file.md5_key.as_ref().or(file.ao_keys.first());
        if let Some(place) = place
            && let Err(error) = keys.try_out(topology)
        {
            return Err(source.problem(place, "keys", error.to_string()));
        }
        for table in &file.ao_rollover {
            let key = keys.all_ao().find(|key| key.send_id == *table.key.get_ref());
            let Some(AoKey { send_id, recv_id, .. }) = key else {
                let problem = "none of the ao_keys has this ID";
                return Err(source.problem(&table.key, "ao_rollover", problem));
            };
            keys.rollovers.push(Rollover { at: table.at.0, ids: (send_id, recv_id) });
        }
        Ok(keys)
    }

    fn all_ao(&self) -> impl Iterator<Item = AoKey<'_>> {
        self.ao.iter().flat_map(|key| AoKey::read(key))
    }

    /// The changes of keys.
    pub(super) fn rollovers(&self) -> &[Rollover] {
        &self.rollovers
    }

    /// Whether a stack takes them.
    fn try_out(&self, topology: &Topology) -> Result<(), KeyError> {
        let link = ackclock::stack::Capabilities::with_mtu(1500);
        let config = ackclock::stack::StackConfig::new(link, [0, 0]);
        let storage = ackclock::stack::Storage::growing();
        let (Ok(mut stack), Some(host)) =
            (Stack::new(config, BuiltIn::default(), storage), topology.hosts().next())
        else {
            return Ok(());
        };
        self.set(Instant::ZERO, &mut stack, host, topology)
    }

    fn set(
        &self,
        now: Instant,
        stack: &mut Stack<'static, BuiltIn>,
        host: HostId,
        topology: &Topology,
    ) -> Result<(), KeyError> {
        for scope in ALL.map(KeyScope::of) {
            if let Some(key) = &self.md5 {
                stack.set_md5_key(now, &scope, key.as_bytes())?;
            }
            for key in self.all_ao().filter(|key| key.send_id == key.recv_id) {
                stack.add_ao_key(now, &scope, &key)?;
            }
        }
        for key in self.all_ao().filter(|key| key.send_id != key.recv_id) {
            for peer in topology.hosts().filter(|peer| *peer != host) {
                let key = if host < peer { key } else { key.turned() };
                for address in topology.addresses(peer) {
                    let prefix = if address.is_ipv4() { 32 } else { 128 };
                    let scope = KeyScope::of(Cidr { address, prefix });
                    stack.add_ao_key(now, &scope, &key)?;
                }
            }
        }
        Ok(())
    }

    /// Gives them to all hosts.
    pub(super) fn set_all<O: Observer>(
        &self,
        topology: &Topology,
        emulator: &mut Emulator<BuiltIn, O>,
    ) {
        for host in topology.hosts() {
            // That they can be set was tried when the file was read.
            let _ = emulator.with_stack(host, |now, stack| self.set(now, stack, host, topology));
        }
    }
}
