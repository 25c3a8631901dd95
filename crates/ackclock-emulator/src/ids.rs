//! Identifiers of hosts, routers and links.

/// Identifies a host of an emulator.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct HostId(pub(crate) usize);

/// Identifies a router of an emulator.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RouterId(pub(crate) usize);

/// A host or a router: whatever a link can lead to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum NodeId {
    /// A host, which has a stack.
    Host(HostId),
    /// A router, which forwards.
    Router(RouterId),
}

/// Identifies a link of an emulator: one direction between two nodes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LinkId(pub(crate) usize);

impl From<HostId> for NodeId {
    fn from(host: HostId) -> Self {
        NodeId::Host(host)
    }
}

impl From<RouterId> for NodeId {
    fn from(router: RouterId) -> Self {
        NodeId::Router(router)
    }
}
