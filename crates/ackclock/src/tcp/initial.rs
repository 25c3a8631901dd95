//! The initial settings of a connection: converted from a [`Config`] once for all connections of a listener,
//! and copied into each.

use super::handshake::Offer;
use super::path_probing::ProbeSettings;
use super::receiver::AckState;
use super::sender::Rto;
use super::{BufferTuning, Config, LostRetransmission, Nagle, RtoConfig, Settings};
use crate::profile::{Kept, Part, Profile};
use crate::time::Duration;
use crate::wire::UserTimeout;

/// The settings that a connection begins with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Initial<P: Profile> {
    pub(super) settings: Settings<P>,
    pub(super) rto: Rto<P>,
    pub(super) acks: AckState<P>,
    /// Timer settings of a SYN-ACK.
    pub(crate) syn_rto: <P::RareSettings as Part>::Keeps<RtoConfig>,
    /// What the SYN offers.
    pub(crate) offer: Offer,
    pub(super) nagle: Nagle,
    pub(super) lost_retransmission: <P::Historic as Part>::Keeps<LostRetransmission>,
    /// User timeout to advertise, if any.
    user_timeout: <P::UserTimeoutOption as Part>::Keeps<Option<UserTimeout>>,
    /// See [`Config::reuse_metrics`].
    pub(crate) reuse_metrics: <P::HostMetrics as Part>::Keeps<bool>,
    pub(super) path_probes: <P::PathProbing as Part>::Keeps<ProbeSettings>,
    /// Largest window to advertise, in bytes.
    pub(crate) window_clamp: u32,
    pub(super) flight_records: u32,
    pub(super) reassembly_ranges: u32,
    /// Most bytes that the send queue may hold, where its memory grows.
    pub(crate) send_buffer: u32,
    /// Most bytes that the receive queue may hold, where its memory grows.
    pub(crate) receive_buffer: u32,
    pub(crate) buffer_tuning: BufferTuning,
    pub(crate) hop_limit: u8,
    pub(crate) dscp: u8,
}

impl<P: Profile> Initial<P> {
    /// Converts settings that have been validated. `clock_phase` is the host's random number that sets the
    /// phase of clocks that tick.
    pub(crate) fn new(config: &Config, clock_phase: u32) -> Self {
        Initial {
            settings: Settings::new(config),
            rto: Rto::new(&config.rto, clock_phase),
            acks: AckState::new(config.ack_policy, config.ack_timer, clock_phase),
            syn_rto: Kept::new(config.rto),
            offer: Offer::of(config),
            nagle: config.nagle,
            lost_retransmission: Kept::new(config.lost_retransmission),
            user_timeout: Kept::new(config.advertised_user_timeout.map(UserTimeout::new)),
            reuse_metrics: Kept::new(config.reuse_metrics),
            path_probes: Kept::new(ProbeSettings::of(config)),
            window_clamp: config.window_clamp.unwrap_or(u32::MAX),
            flight_records: config.flight_records,
            reassembly_ranges: config.reassembly_ranges,
            send_buffer: config.send_buffer,
            receive_buffer: config.receive_buffer,
            buffer_tuning: config.buffer_tuning,
            hop_limit: config.hop_limit,
            dscp: config.dscp,
        }
    }

    /// The user timeout to advertise, if any.
    pub(crate) fn advertised_user_timeout(&self) -> Option<UserTimeout> {
        if P::USER_TIMEOUT_OPTION { self.user_timeout.get().copied().flatten() } else { None }
    }

    /// For how long an open is tried without an answer to the SYN.
    pub(crate) fn syn_give_up(&self) -> Duration {
        self.settings.syn_give_up()
    }
}
