//! The keys of a `connection` table: settings of connections.

use super::words::Text;
use ackclock::congestion::InitialWindow;
use ackclock::tcp::{
    AckPolicy, AckTimer, BufferTuning, Config, EcnMode, FastOpenMode, MtuProbing, Nagle, Pacing,
    RecoveryAlgorithm, RestartAfterIdle, RtoBackoff, RtoConfig,
};
use ackclock::time::Duration;
use serde::Deserialize;
use std::num::NonZeroU16;

/// The settings that a table gives; others keep their values.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ConnectionTable {
    mss: Option<u16>,
    mtu_probing: Option<Text<MtuProbing>>,
    base_mss: Option<u16>,
    send_buffer: Option<u32>,
    receive_buffer: Option<u32>,
    #[serde(alias = "buffers")]
    buffer_tuning: Option<Text<BufferTuning>>,
    window_scaling: Option<bool>,
    timestamps: Option<bool>,
    sack: Option<bool>,
    nagle: Option<Text<Nagle>>,
    ack_policy: Option<Text<AckPolicy>>,
    ack_timer: Option<Text<AckTimer>>,
    ecn: Option<Text<EcnMode>>,
    fast_open: Option<Text<FastOpenMode>>,
    reuse_metrics: Option<bool>,
    recovery: Option<Text<RecoveryAlgorithm>>,
    #[serde(alias = "iw")]
    initial_window: Option<Text<InitialWindow>>,
    #[serde(alias = "restart")]
    restart_after_idle: Option<Text<RestartAfterIdle>>,
    pacing: Option<Text<Pacing>>,
    burst_limit: Option<NonZeroU16>,
    rto: Option<Text<RtoConfig>>,
    backoff: Option<Text<RtoBackoff>>,
    rto_initial: Option<Text<Duration>>,
    rto_min: Option<Text<Duration>>,
    rto_max: Option<Text<Duration>>,
    give_up: Option<Text<Duration>>,
    user_timeout: Option<Text<Duration>>,
    advertised_user_timeout: Option<Text<Duration>>,
    hop_limit: Option<u8>,
}

impl ConnectionTable {
    pub(super) fn apply(&self, config: &mut Config) {
        fn set<T: Clone, U>(setting: &mut U, given: &Option<T>, convert: impl Fn(T) -> U) {
            if let Some(value) = given {
                *setting = convert(value.clone());
            }
        }
        fn word<T>(text: Text<T>) -> T {
            text.0
        }
        fn same<T>(value: T) -> T {
            value
        }
        let ConnectionTable {
            mss,
            mtu_probing,
            base_mss,
            send_buffer,
            receive_buffer,
            buffer_tuning,
            window_scaling,
            timestamps,
            sack,
            nagle,
            ack_policy,
            ack_timer,
            ecn,
            fast_open,
            reuse_metrics,
            recovery,
            initial_window,
            restart_after_idle,
            pacing,
            burst_limit,
            rto,
            backoff,
            rto_initial,
            rto_min,
            rto_max,
            give_up,
            user_timeout,
            advertised_user_timeout,
            hop_limit,
        } = self;
        set(&mut config.mss, mss, Some);
        set(&mut config.mtu_probing, mtu_probing, word);
        set(&mut config.base_mss, base_mss, same);
        set(&mut config.send_buffer, send_buffer, same);
        set(&mut config.receive_buffer, receive_buffer, same);
        set(&mut config.buffer_tuning, buffer_tuning, word);
        set(&mut config.window_scaling, window_scaling, same);
        set(&mut config.timestamps, timestamps, same);
        set(&mut config.sack, sack, same);
        set(&mut config.nagle, nagle, word);
        set(&mut config.ack_policy, ack_policy, word);
        set(&mut config.ack_timer, ack_timer, word);
        set(&mut config.ecn, ecn, word);
        set(&mut config.fast_open, fast_open, word);
        set(&mut config.reuse_metrics, reuse_metrics, same);
        set(&mut config.recovery, recovery, word);
        set(&mut config.initial_window, initial_window, word);
        set(&mut config.restart_after_idle, restart_after_idle, word);
        set(&mut config.pacing, pacing, word);
        set(&mut config.burst_limit, burst_limit, Some);
        // Backoff and bounds change the timer that `rto` has chosen.
        set(&mut config.rto, rto, word);
        set(&mut config.rto.backoff, backoff, word);
        set(&mut config.rto.initial, rto_initial, word);
        set(&mut config.rto.min, rto_min, word);
        set(&mut config.rto.max, rto_max, word);
        set(&mut config.give_up, give_up, word);
        set(&mut config.user_timeout, user_timeout, |time| Some(word(time)));
        set(&mut config.advertised_user_timeout, advertised_user_timeout, |time| Some(word(time)));
        set(&mut config.hop_limit, hop_limit, same);
    }
}
