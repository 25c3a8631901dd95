//! Settings that can be changed on an open connection.

use super::{Handle, InvalidHandle, SettingError, Stack};
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::tcp::{ConfigError, Keepalive, Nagle};
use crate::time::{Duration, Instant};

impl<C: CongestionController + Clone, P: Profile> Stack<'_, C, P> {
    /// Sets Nagle's algorithm, or turns it off.
    pub fn set_nagle(
        &mut self,
        now: Instant,
        handle: Handle,
        nagle: Nagle,
    ) -> Result<(), InvalidHandle> {
        self.with(now, handle, |connection, _| connection.set_nagle(nagle)).ok_or(InvalidHandle)
    }

    /// Releases queued data from the cork and from Minshall's rule (waiting for an ack), as setting
    /// `TCP_NODELAY` does on Linux.
    pub fn push(&mut self, now: Instant, handle: Handle) -> Result<(), InvalidHandle> {
        self.with(now, handle, |connection, _| connection.push(now)).ok_or(InvalidHandle)
    }

    /// Sets or removes the cork: while it is on, only full-sized segments are sent, except for data that has
    /// waited for 200 ms with nothing in flight (as on Linux).
    pub fn set_cork(
        &mut self,
        now: Instant,
        handle: Handle,
        on: bool,
    ) -> Result<(), InvalidHandle> {
        self.with(now, handle, |connection, _| connection.set_cork(now, on)).ok_or(InvalidHandle)
    }

    /// Turns keepalive on or off, or changes its times (RFC 9293 section 3.8.4).
    ///
    /// # Errors
    /// The handle is invalid, or a setting is.
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

    /// Sets the differentiated services codepoint (DSCP, 0 to 63) of packets sent from now on (RFC 9293
    /// section 3.9.1.1, SHLD-22).
    ///
    /// # Errors
    /// The handle is invalid, or the codepoint is above 63.
    pub fn set_dscp(&mut self, now: Instant, handle: Handle, dscp: u8) -> Result<(), SettingError> {
        self.begin(now);
        let slot = self.resolve_mut(handle).ok_or(SettingError::InvalidHandle)?;
        if dscp > 63 {
            return Err(SettingError::Config(ConfigError::Dscp));
        }
        slot.ip_fields.set_dscp(dscp);
        Ok(())
    }

    /// Sets the TTL or hop limit (1 to 255) of packets sent from now on.
    ///
    /// # Errors
    /// The handle is invalid, or the limit is 0.
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

    /// Sets for how long data may stay unacknowledged before the connection is aborted (RFC 5482); `None`:
    /// only `Config::give_up` applies.
    pub fn set_user_timeout(
        &mut self,
        now: Instant,
        handle: Handle,
        timeout: Option<Duration>,
    ) -> Result<(), InvalidHandle> {
        self.with(now, handle, |connection, _| connection.set_user_timeout(timeout))
            .ok_or(InvalidHandle)
    }

    /// Advertises a user timeout to the peer with the next segment that has room, instead of
    /// [`Config::advertised_user_timeout`](crate::tcp::Config::advertised_user_timeout); `None`: the option
    /// is no longer sent, nor obeyed (RFC 5482).
    pub fn advertise_user_timeout(
        &mut self,
        now: Instant,
        handle: Handle,
        timeout: Option<Duration>,
    ) -> Result<(), InvalidHandle> {
        self.with(now, handle, |connection, _| connection.advertise_user_timeout(timeout))
            .ok_or(InvalidHandle)
    }

    /// Sets for how long the SYN is retransmitted (R2 for SYN segments, RFC 9293 section 3.8.3), counted from
    /// when the connection was opened. It has no effect once the connection is established.
    pub fn set_syn_give_up(
        &mut self,
        now: Instant,
        handle: Handle,
        give_up: Duration,
    ) -> Result<(), InvalidHandle> {
        self.with(now, handle, |connection, _| connection.set_syn_give_up(give_up))
            .ok_or(InvalidHandle)
    }

    /// Sets the size of the send buffer in bytes, 1 to 2^30. Data already queued stays. Lent memory keeps its
    /// size.
    ///
    /// # Errors
    /// The handle is invalid, or the size is 0.
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
        // The stack's memory limits determine how much of it is granted.
        self.with(now, handle, |_, _| ()).ok_or(SettingError::InvalidHandle)
    }

    /// Sets the size of the receive buffer in bytes, 1 to 2^30; the window follows, as far as the agreed
    /// window scale allows. Data within the window already advertised is still accepted: a smaller buffer
    /// applies once the peer has used up that window. Until the connection is established the buffer only
    /// grows. Lent memory keeps its size.
    ///
    /// # Errors
    /// The handle is invalid, or the size is.
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
            // The stack's memory limits determine how much of it is granted.
            return self.with(now, handle, |_, _| ()).ok_or(SettingError::InvalidHandle);
        }
        self.with(now, handle, |connection, _| connection.set_receive_buffer(bytes))
            .ok_or(SettingError::InvalidHandle)
    }

    /// Sets the largest window to advertise, in bytes, even if the buffer has more room; `None`: only the
    /// buffer limits it. The window already advertised remains valid; until the connection is established the
    /// limit only grows.
    ///
    /// # Errors
    /// The handle is invalid, or the limit is 0.
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

    /// Has the next `count` segments acknowledged one by one (quick acks); unless `count` is 0, a delayed ack
    /// is sent at once.
    pub fn set_quick_acks(
        &mut self,
        now: Instant,
        handle: Handle,
        count: u16,
    ) -> Result<(), InvalidHandle> {
        self.with(now, handle, |connection, _| connection.set_quick_acks(count))
            .ok_or(InvalidHandle)
    }

    /// Replaces the congestion control algorithm. The new one starts as on a new connection, with the old
    /// one's window and without a slow-start threshold.
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
