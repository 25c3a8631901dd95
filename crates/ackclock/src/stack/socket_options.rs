//! Settings that can be changed while a connection is open.

use super::{Handle, InvalidHandle, SettingError, Stack};
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::tcp::{ConfigError, Keepalive, Nagle};
use crate::time::{Duration, Instant};

impl<C: CongestionController + Clone, P: Profile> Stack<'_, C, P> {
    /// Chooses Nagle's algorithm, or none.
    pub fn set_nagle(
        &mut self,
        now: Instant,
        handle: Handle,
        nagle: Nagle,
    ) -> Result<(), InvalidHandle> {
        self.with(now, handle, |connection, _| connection.set_nagle(nagle)).ok_or(InvalidHandle)
    }

    /// Sends what is queued and waits behind a cork, or, by Minshall's rule, for an ack: as `TCP_NODELAY` does on
    /// Linux.
    pub fn push(&mut self, now: Instant, handle: Handle) -> Result<(), InvalidHandle> {
        self.with(now, handle, |connection, _| connection.push(now)).ok_or(InvalidHandle)
    }

    /// Corked, only full-sized segments are sent, but for what has waited for 200 ms with nothing in flight
    /// (as on Linux).
    pub fn set_cork(
        &mut self,
        now: Instant,
        handle: Handle,
        on: bool,
    ) -> Result<(), InvalidHandle> {
        self.with(now, handle, |connection, _| connection.set_cork(now, on)).ok_or(InvalidHandle)
    }

    /// Switches keepalive, or changes its times (RFC 9293 section 3.8.4).
    ///
    /// # Errors
    /// The handle is void, or the settings cannot be used.
    pub fn set_keepalive(
        &mut self,
        now: Instant,
        handle: Handle,
        settings: Option<Keepalive>,
    ) -> Result<(), SettingError> {
        settings.map_or(Ok(()), |settings| settings.validate()).map_err(SettingError::Config)?;
        self.with(now, handle, |connection, _| connection.set_keepalive(settings))
            .ok_or(SettingError::InvalidHandle)
    }

    /// Sets the differentiated services codepoint of the packets from now on, 0 to 63 (RFC 9293
    /// section 3.9.1.1, SHLD-22).
    ///
    /// # Errors
    /// The handle is void, or the codepoint is above 63.
    pub fn set_dscp(&mut self, now: Instant, handle: Handle, dscp: u8) -> Result<(), SettingError> {
        self.begin(now);
        let slot = self.resolve_mut(handle).ok_or(SettingError::InvalidHandle)?;
        if dscp > 63 {
            return Err(SettingError::Config(ConfigError::Dscp));
        }
        slot.ip_fields.set_dscp(dscp);
        Ok(())
    }

    /// Sets the TTL or hop limit of the packets from now on, 1 to 255.
    ///
    /// # Errors
    /// The handle is void, or the limit is 0.
    pub fn set_hop_limit(
        &mut self,
        now: Instant,
        handle: Handle,
        limit: u8,
    ) -> Result<(), SettingError> {
        self.begin(now);
        let slot = self.resolve_mut(handle).ok_or(SettingError::InvalidHandle)?;
        if limit == 0 {
            return Err(SettingError::Config(ConfigError::HopLimit));
        }
        slot.ip_fields.set_hop_limit(limit);
        Ok(())
    }

    /// Sets how long data may stay unacknowledged before the connection is aborted (RFC 5482);
    /// `None`: only `Config::give_up` decides.
    pub fn set_user_timeout(
        &mut self,
        now: Instant,
        handle: Handle,
        timeout: Option<Duration>,
    ) -> Result<(), InvalidHandle> {
        self.with(now, handle, |connection, _| connection.set_user_timeout(timeout))
            .ok_or(InvalidHandle)
    }

    /// Advertises a user timeout to the peer with the next segment that has room, in the place of what
    /// [`Config::advertised_user_timeout`](crate::tcp::Config::advertised_user_timeout) said; `None`: the option
    /// is neither sent nor heard any more (RFC 5482).
    pub fn advertise_user_timeout(
        &mut self,
        now: Instant,
        handle: Handle,
        timeout: Option<Duration>,
    ) -> Result<(), InvalidHandle> {
        self.with(now, handle, |connection, _| connection.advertise_user_timeout(timeout))
            .ok_or(InvalidHandle)
    }

    /// Sets how long to repeat the SYN before giving up (R2 for SYN segments, RFC 9293 section
    /// 3.8.3), counted from when the connection was opened. It means nothing once the connection is
    /// established.
    pub fn set_syn_give_up(
        &mut self,
        now: Instant,
        handle: Handle,
        give_up: Duration,
    ) -> Result<(), InvalidHandle> {
        self.with(now, handle, |connection, _| connection.set_syn_give_up(give_up))
            .ok_or(InvalidHandle)
    }

    /// Sets most bytes queued for sending, 1 to 2^30. What is queued already stays. Lent memory
    /// stays as large as it is.
    ///
    /// # Errors
    /// The handle is void, or the size is 0.
    pub fn set_send_buffer(
        &mut self,
        now: Instant,
        handle: Handle,
        bytes: u32,
    ) -> Result<(), SettingError> {
        check((1..=1 << 30).contains(&bytes), ConfigError::Buffer)?;
        let slot = self.resolve_mut(handle).ok_or(SettingError::InvalidHandle)?;
        if let Some(sizes) = &mut slot.sizes {
            sizes.set_send_most(bytes);
        }
        // The stack's memory decides how much of it there is.
        self.with(now, handle, |_, _| ()).ok_or(SettingError::InvalidHandle)
    }

    /// Sets most bytes received and not read, 1 to 2^30; the window follows, as far as the shift
    /// that was agreed on expresses it. What was advertised is still taken: a smaller buffer counts
    /// once the peer has used up its promise, and before the connection is established it only grows.
    /// Lent memory stays as large as it is.
    ///
    /// # Errors
    /// The handle is void, or the size cannot be used.
    pub fn set_receive_buffer(
        &mut self,
        now: Instant,
        handle: Handle,
        bytes: u32,
    ) -> Result<(), SettingError> {
        check((1..=1 << 30).contains(&bytes), ConfigError::Buffer)?;
        let slot = self.resolve_mut(handle).ok_or(SettingError::InvalidHandle)?;
        if let Some(sizes) = &mut slot.sizes {
            sizes.set_receive_most(bytes);
            // The stack's memory decides how much of it there is.
            return self.with(now, handle, |_, _| ()).ok_or(SettingError::InvalidHandle);
        }
        self.with(now, handle, |connection, _| connection.set_receive_buffer(bytes))
            .ok_or(SettingError::InvalidHandle)
    }

    /// Bounds the window to be advertised, in bytes, whatever the buffer would hold; `None`: the
    /// buffer alone decides. What was advertised already stays promised; before the connection is
    /// established the bound only grows.
    ///
    /// # Errors
    /// The handle is void, or the bound is 0.
    pub fn set_window_clamp(
        &mut self,
        now: Instant,
        handle: Handle,
        bytes: Option<u32>,
    ) -> Result<(), SettingError> {
        check(bytes != Some(0), ConfigError::Buffer)?;
        self.with(now, handle, |connection, _| connection.set_window_clamp(bytes))
            .ok_or(SettingError::InvalidHandle)
    }

    /// Has the next `count` segments acknowledged one by one; an ack that is being delayed goes out
    /// at once unless that is 0.
    pub fn set_quick_acks(
        &mut self,
        now: Instant,
        handle: Handle,
        count: u16,
    ) -> Result<(), InvalidHandle> {
        self.with(now, handle, |connection, _| connection.set_quick_acks(count))
            .ok_or(InvalidHandle)
    }

    /// Replaces the window law. The new one starts, as on a new connection, from the window that the
    /// old one had, and finds its threshold anew.
    pub fn set_controller(
        &mut self,
        now: Instant,
        handle: Handle,
        controller: C,
    ) -> Result<(), InvalidHandle> {
        self.with(now, handle, |connection, now| connection.set_controller(now, controller))
            .ok_or(InvalidHandle)
    }
}

fn check(ok: bool, error: ConfigError) -> Result<(), SettingError> {
    if ok { Ok(()) } else { Err(SettingError::Config(error)) }
}
