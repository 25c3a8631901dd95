//! Keys that sign the segments of all connections of a scenario.

use super::error::{ScenarioError, Source};
use super::file::File;
use crate::emulator::Emulator;
use crate::ids::HostId;
use crate::observer::Observer;
use ackclock::congestion::BuiltIn;
use ackclock::stack::{Cidr, KeyError, KeyScope, Stack};
use ackclock::time::Instant;
use ackclock::wire::ao::AoKey;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use toml::Spanned;

/// Everybody.
const ALL: [Cidr; 2] = [
    Cidr { address: IpAddr::V4(Ipv4Addr::UNSPECIFIED), prefix: 0 },
    Cidr { address: IpAddr::V6(Ipv6Addr::UNSPECIFIED), prefix: 0 },
];

/// The keys of each host.
#[derive(Clone, Debug, Default)]
pub(super) struct Keys {
    md5: Option<String>,
    /// As [`AoKey::read`] reads them.
    ao: Vec<String>,
}

impl Keys {
    /// Reads those of a file.
    ///
    /// # Errors
    /// Says which key cannot be used.
    pub(super) fn of(file: &File, source: &Source<'_>) -> Result<Self, ScenarioError> {
        for spanned in &file.ao_keys {
            let wrong = |problem: String| source.problem(spanned, "ao_keys", problem);
            let key = AoKey::read(spanned.get_ref()).map_err(|error| wrong(error.to_string()))?;
            // All hosts have the same keys.
            if key.send_id != key.recv_id {
                return Err(wrong("each key has one ID, for both directions".into()));
            }
        }
        let text = |spanned: &Spanned<String>| spanned.get_ref().clone();
        let keys = Keys {
            md5: file.md5_key.as_ref().map(text),
            ao: file.ao_keys.iter().map(text).collect(),
        };
        let place = file.md5_key.as_ref().or(file.ao_keys.first());
        if let Some(place) = place
            && let Err(error) = keys.try_out()
        {
            return Err(source.problem(place, "keys", error.to_string()));
        }
        Ok(keys)
    }

    /// Whether a stack takes them.
    fn try_out(&self) -> Result<(), KeyError> {
        let link = ackclock::stack::Capabilities::with_mtu(1500);
        let config = ackclock::stack::StackConfig::new(link, [0, 0]);
        let storage = ackclock::stack::Storage::growing();
        match Stack::new(config, BuiltIn::default(), storage) {
            Ok(mut stack) => self.set(Instant::ZERO, &mut stack),
            Err(_) => Ok(()),
        }
    }

    fn set(&self, now: Instant, stack: &mut Stack<'static, BuiltIn>) -> Result<(), KeyError> {
        ALL.iter().map(|peers| KeyScope::of(*peers)).try_for_each(|scope| {
            let md5 = self.md5.iter().map(|key| stack.set_md5_key(now, &scope, key.as_bytes()));
            md5.collect::<Result<(), _>>()?;
            let mut ao = self.ao.iter().flat_map(|key| AoKey::read(key));
            ao.try_for_each(|key| stack.add_ao_key(now, &scope, &key))
        })
    }

    /// Gives them to all hosts.
    pub(super) fn set_all<O: Observer>(
        &self,
        hosts: impl Iterator<Item = HostId>,
        emulator: &mut Emulator<BuiltIn, O>,
    ) {
        for host in hosts {
            // That they can be set was tried when the file was read.
            let _ = emulator.with_stack(host, |now, stack| self.set(now, stack));
        }
    }
}
