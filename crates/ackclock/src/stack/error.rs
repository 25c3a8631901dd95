//! Why a call on a stack failed.

use crate::tcp::ConfigError;
use core::fmt;

/// Why a connection could not be opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ConnectError {
    /// The stack has no address of that family, or not the one asked for.
    NoSourceAddress,
    /// The remote address cannot be connected to (unspecified, multicast, broadcast, port 0).
    InvalidRemote,
    /// The four-tuple is in use.
    AddressInUse,
    /// All ephemeral ports to that destination are in use.
    NoPort,
    /// No slot or memory is free.
    NoResources,
    /// A setting cannot be used.
    Config(ConfigError),
    /// The stack was built for connections that others open.
    LeftOut,
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ConnectError::NoSourceAddress => {
                "no local address of that family: add one with add_address"
            }
            ConnectError::InvalidRemote => {
                "the remote address must be a unicast address with a port other than 0"
            }
            ConnectError::AddressInUse => {
                "a connection between these addresses and ports exists; choose another local port"
            }
            ConnectError::NoPort => {
                "every ephemeral port to that destination is in use; widen the port range"
            }
            ConnectError::NoResources => {
                "no free connection slot or memory; close connections, or raise max_connections or \
                 memory of StackConfig, or where memory is lent CONNECTIONS of StackMemory"
            }
            ConnectError::Config(error) => return error.fmt(f),
            ConnectError::LeftOut => "the profile of the stack has no active open",
        })
    }
}

impl core::error::Error for ConnectError {}

/// Why a listener could not be made or changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ListenError {
    /// Another listener has this address and port.
    AddressInUse,
    /// The address is not one of ours.
    NoSuchAddress,
    /// A backlog of zero.
    Backlog,
    /// The listener was closed.
    InvalidListener,
    /// No slot or memory is free.
    NoResources,
    /// A setting cannot be used.
    Config(ConfigError),
}

impl fmt::Display for ListenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ListenError::AddressInUse => "another listener has this address and port",
            ListenError::NoSuchAddress => "not a local address: add it with add_address first",
            ListenError::Backlog => "backlog and half_open must be at least 1",
            ListenError::InvalidListener => "the listener was closed: listen again",
            ListenError::NoResources => {
                "no free listener slot; where memory is lent, raise LISTENERS of StackMemory"
            }
            ListenError::Config(error) => return error.fmt(f),
        })
    }
}

impl core::error::Error for ListenError {}

/// Why an address could not be added or removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum AddressError {
    /// The prefix is longer than the address, or the address is not unicast.
    Invalid,
    /// IPv4 was left out of the build (feature `ipv4`).
    Ipv4LeftOut,
    /// IPv6 was left out of the build (feature `ipv6`).
    Ipv6LeftOut,
    /// The address is there already.
    Duplicate,
    /// The address is not there.
    Unknown,
    /// No place for another address.
    NoResources,
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AddressError::Invalid => "the address must be unicast with a prefix that fits it",
            AddressError::Ipv4LeftOut => "build with the feature ipv4 for IPv4 addresses",
            AddressError::Ipv6LeftOut => "build with the feature ipv6 for IPv6 addresses",
            AddressError::Duplicate => "the stack has this address already",
            AddressError::Unknown => "the stack does not have this address",
            AddressError::NoResources => {
                "no place for another address; where memory is lent, raise ADDRESSES of StackMemory"
            }
        })
    }
}

impl core::error::Error for AddressError {}

/// The handle names no connection: it was closed or aborted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InvalidHandle;

impl fmt::Display for InvalidHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the handle names no open connection")
    }
}

impl core::error::Error for InvalidHandle {}

/// Why a setting of a connection could not be changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SettingError {
    /// The handle names no connection.
    InvalidHandle,
    /// The setting cannot be used.
    Config(ConfigError),
}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingError::InvalidHandle => InvalidHandle.fmt(f),
            SettingError::Config(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for SettingError {}

/// Why a key could not be set or forgotten.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum KeyError {
    /// The key is empty or longer than 80 bytes.
    Length,
    /// The prefix is longer than the address, or of a family that was left out of the build.
    Peers,
    /// No place for another key.
    NoResources,
    /// There is no key for these peers and this port.
    Unknown,
    /// Another key of TCP-AO, for connections that this one may be for too, has one of its IDs.
    IdInUse,
    /// TCP-AO does not sign the connection, or there is none.
    NotSigned,
    /// The stack was built without signatures.
    LeftOut,
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            KeyError::Length => "a key has 1 to 80 bytes",
            KeyError::Peers => "the prefix must fit the address, and its family the build",
            KeyError::NoResources => {
                "no place for another key: remove one, or set one for a whole prefix"
            }
            KeyError::Unknown => "there is no such key for exactly these peers and this port",
            KeyError::IdInUse => {
                "a key for some of these connections has one of the IDs: take others, or remove that key first"
            }
            KeyError::NotSigned => "the connection is over, or not signed by TCP-AO",
            KeyError::LeftOut => "the profile of the stack has no signatures",
        })
    }
}

impl core::error::Error for KeyError {}
