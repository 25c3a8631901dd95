//! Errors of calls on a stack.

use crate::tcp::ConfigError;
use core::fmt;

/// Why a connection could not be opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ConnectError {
    /// The stack has no local address of the remote one's family, or does not have the one asked for.
    NoSourceAddress,
    /// The remote address is unspecified, multicast or broadcast, or its port is 0.
    InvalidRemote,
    /// A connection with this four-tuple exists.
    AddressInUse,
    /// All ephemeral ports to that destination are in use.
    NoPort,
    /// No connection slot or memory is free.
    NoResources,
    /// A setting is invalid.
    Config(ConfigError),
    /// The profile of the stack has no active open.
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
    /// The backlog or `half_open` is zero.
    Backlog,
    /// The listener was closed.
    InvalidListener,
    /// No listener slot or memory is free.
    NoResources,
    /// A setting is invalid.
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
    /// The build has no IPv4 (feature `ipv4`).
    Ipv4LeftOut,
    /// The build has no IPv6 (feature `ipv6`).
    Ipv6LeftOut,
    /// The stack has this address already.
    Duplicate,
    /// The stack does not have this address with this prefix.
    Unknown,
    /// There is no room for another address.
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
    /// The setting is invalid.
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

/// Why a key could not be set or removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum KeyError {
    /// The key is empty or longer than 80 bytes.
    Length,
    /// The prefix is longer than the address, or the build lacks the address family.
    Peers,
    /// There is no room for another key.
    NoResources,
    /// There is no key for these peers and this port.
    Unknown,
    /// Another TCP-AO key has one of these IDs, and could apply to some of the same connections.
    IdInUse,
    /// The connection is over, or not signed by TCP-AO.
    NotSigned,
    /// The profile of the stack has no signatures.
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
