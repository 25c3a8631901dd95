//! The network that a scenario file describes.

use super::error::{ScenarioError, Source};
use super::file::{ChainTable, DumbbellTable, File, MAX_FLOWS, PairTable, ParkingLotTable};
use super::words::Text;
use crate::ids::{HostId, NodeId};
use crate::link::path::Path;
use crate::topology::Topology;
use ackclock::tcp::CongestionControl;
use toml::Spanned;

/// The topology of a scenario: hosts, routers and links.
pub(super) fn topology(file: &File, source: &Source<'_>) -> Result<Topology, ScenarioError> {
    let mut shapes = Vec::new();
    if let Some(table) = &file.pair {
        shapes.push(("pair", table.span().start, pair(table.get_ref())));
    }
    if let Some(table) = &file.dumbbell {
        shapes.push(("dumbbell", table.span().start, dumbbell(table, source)?));
    }
    if let Some(table) = &file.chain {
        shapes.push(("chain", table.span().start, chain(table, source)?));
    }
    if let Some(table) = &file.parking_lot {
        shapes.push(("parking_lot", table.span().start, parking_lot(table, source)?));
    }
    if let [_, (key, at, _), ..] = &shapes[..] {
        let problem = "there is one ready-made network already: remove one of them";
        return Err(source.problem(&Spanned::new(*at..*at, ()), key, problem));
    }
    let mut topology = match shapes.pop() {
        Some((_, _, topology)) => {
            let routers = file.routers.first().map(|router| ("routers", &router.name));
            let links = file.links.first().map(|link| ("links", &link.between[0]));
            if let Some((key, place)) = routers.or(links) {
                let problem = "a ready-made network has its own: remove these, or the network";
                return Err(source.problem(place, key, problem));
            }
            topology
        }
        None => listed(file, source)?,
    };
    for host in &file.hosts {
        let id = find_host(&topology, &host.name, "name", source)?;
        topology.set_processing(id, host.processing.0);
    }
    Ok(topology)
}

/// The congestion control of each host.
pub(super) fn laws(
    file: &File,
    topology: &Topology,
    source: &Source<'_>,
) -> Result<Vec<CongestionControl>, ScenarioError> {
    let mut law = file.law.0;
    if let Some(growth) = &file.growth {
        let grown = law.law.with_parameter("growth", &growth.get_ref().0.to_string());
        law.law = grown.map_err(|error| source.problem(growth, "growth", error.to_string()))?;
    }
    let mut laws = vec![law; topology.hosts().count()];
    for host in &file.hosts {
        if let Some(Text(law)) = &host.law {
            laws[find_host(topology, &host.name, "name", source)?.0] = *law;
        }
    }
    Ok(laws)
}

/// The host of this name.
pub(super) fn find_host(
    topology: &Topology,
    name: &Spanned<String>,
    key: &str,
    source: &Source<'_>,
) -> Result<HostId, ScenarioError> {
    let found = topology.hosts().find(|&host| topology.name(host) == name.get_ref());
    found.ok_or_else(|| {
        let known: Vec<_> = topology.hosts().map(|host| topology.name(host)).collect();
        source.unknown_name(name, key, "host", &known)
    })
}

/// The network that is listed link by link.
fn listed(file: &File, source: &Source<'_>) -> Result<Topology, ScenarioError> {
    let mut topology = Topology::new();
    let mut nodes: Vec<(&str, NodeId)> = Vec::new();
    for host in &file.hosts {
        nodes.push((host.name.get_ref(), topology.host(host.name.get_ref()).into()));
    }
    for router in &file.routers {
        nodes.push((router.name.get_ref(), topology.router(router.name.get_ref()).into()));
    }
    let find = |name: &Spanned<String>| {
        let found = nodes.iter().find(|(known, _)| known == name.get_ref());
        found.map(|(_, node)| *node).ok_or_else(|| {
            let known: Vec<_> = nodes.iter().map(|(name, _)| *name).collect();
            source.unknown_name(name, "between", "host or router", &known)
        })
    };
    for link in &file.links {
        let [a, b] = [find(&link.between[0])?, find(&link.between[1])?];
        topology.link(a, b, there_and_back(&link.path, link.back.as_ref()));
    }
    Ok(topology)
}

fn pair(PairTable { path, back }: &PairTable) -> Topology {
    Topology::pair(there_and_back(path, back.as_ref()))
}

fn dumbbell(
    table: &Spanned<DumbbellTable>,
    source: &Source<'_>,
) -> Result<Topology, ScenarioError> {
    let DumbbellTable { bottleneck, back, access, receivers, pairs } = table.get_ref();
    let receivers = receivers.as_ref().unwrap_or(access);
    if access.is_empty() || receivers.is_empty() {
        return Err(source.problem(table, "access", "give at least one path"));
    }
    let pairs = match pairs {
        None => access.len().max(receivers.len()),
        Some(pairs) if (1..=MAX_FLOWS).contains(pairs.get_ref()) => *pairs.get_ref(),
        Some(pairs) => {
            let problem = format!("make it 1 to {MAX_FLOWS}, the most that can have a flow each");
            return Err(source.problem(pairs, "pairs", problem));
        }
    };
    let path = |list: &[Text<Path>], index: usize| list[index % list.len()].0.clone();
    let access: Vec<_> =
        (0..pairs).map(|index| [path(access, index), path(receivers, index)]).collect();
    Ok(Topology::dumbbell(there_and_back(bottleneck, back.as_ref()), &access).topology)
}

fn chain(table: &Spanned<ChainTable>, source: &Source<'_>) -> Result<Topology, ScenarioError> {
    let ChainTable { hops, back } = table.get_ref();
    Ok(Topology::chain(&both_ways(table, hops, back.as_deref(), source)?).topology)
}

fn parking_lot(
    table: &Spanned<ParkingLotTable>,
    source: &Source<'_>,
) -> Result<Topology, ScenarioError> {
    let ParkingLotTable { hops, back, access } = table.get_ref();
    let hops = both_ways(table, hops, back.as_deref(), source)?;
    Ok(Topology::parking_lot(&hops, &access.0).topology)
}

fn there_and_back(there: &Text<Path>, back: Option<&Text<Path>>) -> [Path; 2] {
    [there.0.clone(), back.unwrap_or(there).0.clone()]
}

fn both_ways<T>(
    table: &Spanned<T>,
    hops: &[Text<Path>],
    back: Option<&[Text<Path>]>,
    source: &Source<'_>,
) -> Result<Vec<[Path; 2]>, ScenarioError> {
    let back = back.unwrap_or(hops);
    if hops.is_empty() || back.len() != hops.len() {
        let problem = "give at least one hop, and as many ways back if there are any";
        return Err(source.problem(table, "hops", problem));
    }
    Ok(hops.iter().zip(back).map(|(there, back)| there_and_back(there, Some(back))).collect())
}
