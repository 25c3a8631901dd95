//! Opening a connection: what the SYNs offer, and what follows from both (RFC 9293 sections 3.5 and
//! 3.7.1, RFC 7323, RFC 2018).

use super::{Config, RtoConfig};
use crate::time::{Duration, Instant};
use crate::wire::{Options, Timestamps};

/// Length of a TCP header without options, in bytes.
pub(crate) const TCP_HEADER: u32 = 20;
/// Length of an IPv6 header, in bytes.
const IPV6_HEADER: u8 = 40;
/// Bytes that the timestamps option takes in each segment, padding included.
const TIMESTAMPS_LEN: u32 = 12;
/// MSS assumed when the peer's SYN names none (RFC 9293 MUST-15): IPv4, IPv6.
const DEFAULT_MSS: (u16, u16) = (536, 1220);
/// Largest window scale shift (RFC 7323 section 2.3).
const MAX_SHIFT: u8 = 14;

/// What a SYN offers: its options, without the values of the timestamps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SynOptions {
    /// Maximum segment size in bytes.
    pub mss: Option<u16>,
    /// Window scale shift.
    pub window_scale: Option<u8>,
    /// SACK-permitted.
    pub sack_permitted: bool,
    /// Whether there is a timestamps option.
    pub timestamps: bool,
}

impl SynOptions {
    /// What a SYN with these options offers.
    pub fn of(options: &Options) -> Self {
        SynOptions {
            mss: options.mss,
            window_scale: options.window_scale,
            sack_permitted: options.sack_permitted,
            timestamps: options.timestamps.is_some(),
        }
    }

    /// The options of our SYN. `mtu` is the link's, `window` the largest receive window in bytes.
    pub(crate) fn ours(config: &Config, mtu: u32, ip_header: u8, window: usize) -> Self {
        let fits = mtu
            .saturating_sub(u32::from(ip_header) + TCP_HEADER)
            .clamp(1, u32::from(u16::MAX)) as u16;
        SynOptions {
            mss: Some(config.mss.map_or(fits, |mss| mss.min(fits))),
            window_scale: config.window_scaling.then(|| window_shift(window)),
            sack_permitted: config.sack,
            timestamps: config.timestamps,
        }
    }

    /// The options of our SYN-ACK: of what we would offer, what the peer's SYN offered too (the MSS
    /// is always told).
    pub(crate) fn answer_to(self, peer: &SynOptions) -> Self {
        SynOptions {
            mss: self.mss,
            window_scale: self.window_scale.filter(|_| peer.window_scale.is_some()),
            sack_permitted: self.sack_permitted && peer.sack_permitted,
            timestamps: self.timestamps && peer.timestamps,
        }
    }

    /// The option area of the SYN, with our timestamps if it has the option.
    pub(crate) fn options(&self, timestamps: Timestamps) -> Options {
        Options {
            mss: self.mss,
            window_scale: self.window_scale,
            sack_permitted: self.sack_permitted,
            timestamps: self.timestamps.then_some(timestamps),
            ..Options::default()
        }
    }
}

/// The smallest shift with which a window of `window` bytes fits into the header's 16 bits.
fn window_shift(window: usize) -> u8 {
    (0..MAX_SHIFT).find(|shift| window >> shift <= usize::from(u16::MAX)).unwrap_or(MAX_SHIFT)
}

/// What both SYNs agree on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Agreement {
    /// MSS that the peer announced, or the default.
    pub(crate) peer_mss: u16,
    /// MSS that we announced.
    pub(crate) our_mss: u16,
    /// Whether windows are scaled.
    pub(crate) scaled: bool,
    /// Shift of the windows that we advertise.
    pub(crate) our_shift: u8,
    /// Shift of the windows that the peer advertises.
    pub(crate) peer_shift: u8,
    /// SACK in both directions.
    pub(crate) sack: bool,
    /// Timestamps in both directions.
    pub(crate) timestamps: bool,
}

impl Agreement {
    /// What follows from the options of our SYN and of the peer's.
    pub(crate) fn of(ours: &SynOptions, peers: &SynOptions, ip_header: u8) -> Self {
        let default_mss = if ip_header == IPV6_HEADER { DEFAULT_MSS.1 } else { DEFAULT_MSS.0 };
        let shifts = ours.window_scale.zip(peers.window_scale);
        Agreement {
            peer_mss: peers.mss.unwrap_or(default_mss).max(1),
            our_mss: ours.mss.unwrap_or(default_mss),
            scaled: shifts.is_some(),
            our_shift: shifts.map_or(0, |(our, _)| our.min(MAX_SHIFT)),
            peer_shift: shifts.map_or(0, |(_, peer)| peer.min(MAX_SHIFT)),
            sack: ours.sack_permitted && peers.sack_permitted,
            timestamps: ours.timestamps && peers.timestamps,
        }
    }

    fn option_bytes(&self) -> u32 {
        if self.timestamps { TIMESTAMPS_LEN } else { 0 }
    }

    /// Eff.snd.MSS (section 3.7.1): payload bytes of a full segment on a path of that MTU.
    pub(crate) fn send_mss(&self, config: &Config, mtu: u32, ip_header: u8) -> u32 {
        let path = mtu.saturating_sub(u32::from(ip_header) + TCP_HEADER);
        let own = config.mss.map_or(u32::MAX, u32::from);
        u32::from(self.peer_mss).min(path).min(own).saturating_sub(self.option_bytes()).max(1)
    }

    /// Payload bytes of a full segment from the peer.
    pub(crate) fn receive_mss(&self) -> u32 {
        u32::from(self.our_mss).saturating_sub(self.option_bytes()).max(1)
    }
}

/// When the SYN is sent, and sent again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SynTimer {
    /// The SYN is to be sent now.
    pub(crate) due: bool,
    /// How often it was sent.
    sent: u16,
    last_sent_at: Instant,
    /// When the attempt is given up.
    give_up_at: Instant,
}

impl SynTimer {
    /// A SYN to be sent at once; the attempt ends after `give_up` (R2).
    pub(crate) fn new(now: Instant, give_up: Duration) -> Self {
        SynTimer { due: true, sent: 0, last_sent_at: now, give_up_at: now + give_up }
    }

    /// When it is to be sent again (the next time further off, RFC 6298 rule 5.5), or the attempt
    /// to be given up.
    pub(crate) fn deadline(&self, rto: &RtoConfig) -> Instant {
        if self.due {
            return self.give_up_at;
        }
        (self.last_sent_at + rto.syn_timeout(self.retransmits())).min(self.give_up_at)
    }

    /// The SYN was sent.
    pub(crate) fn on_sent(&mut self, now: Instant) {
        self.due = false;
        self.last_sent_at = now;
        self.sent = self.sent.saturating_add(1);
    }

    /// The other side's SYN arrived: ours goes again, now with an ack.
    pub(crate) fn send_again(&mut self) {
        self.due = true;
    }

    /// The deadline may have passed. False if it is time to give up.
    pub(crate) fn on_timeout(&mut self, now: Instant, rto: &RtoConfig) -> bool {
        if self.deadline(rto) > now {
            return true;
        }
        self.due = true;
        now < self.give_up_at
    }

    /// When it was sent, if that was once (Karn's rule).
    pub(crate) fn sent_once_at(&self) -> Option<Instant> {
        (self.sent == 1).then_some(self.last_sent_at)
    }

    /// Whether it was sent more than once.
    pub(crate) fn was_lost(&self) -> bool {
        self.sent > 1
    }

    /// How often it was sent again.
    pub(crate) fn retransmits(&self) -> u32 {
        u32::from(self.sent).saturating_sub(1)
    }

    /// As [`retransmits`](Self::retransmits), counting one that is due: what it tells is known when
    /// the timer fires.
    pub(crate) fn unanswered(&self) -> u32 {
        u32::from(self.sent).saturating_sub(u32::from(!self.due))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shift_is_the_smallest_that_fits() {
        for (window, shift) in [(65_535, 0), (65_536, 1), (262_144, 3), (1 << 30, 14)] {
            assert_eq!(window_shift(window), shift, "{window}");
        }
    }

    #[test]
    fn options_are_used_only_if_both_offer_them() {
        let config = Config::default();
        let ours = SynOptions::ours(&config, 1500, 20, 262_144);
        assert_eq!((ours.mss, ours.window_scale), (Some(1460), Some(3)));
        let bare = Agreement::of(&ours, &SynOptions::default(), 20);
        assert_eq!((bare.peer_mss, bare.scaled), (536, false));
        assert_eq!((bare.sack, bare.timestamps), (false, false));
        assert_eq!(bare.send_mss(&config, 1500, 20), 536);
        assert_eq!(Agreement::of(&ours, &SynOptions::default(), 40).peer_mss, 1220);
        let full = Agreement::of(&ours, &SynOptions { mss: Some(1400), ..ours }, 20);
        assert_eq!(full.send_mss(&config, 1500, 20), 1388);
        assert_eq!(full.send_mss(&config, 1000, 20), 948);
        assert_eq!(full.receive_mss(), 1448);
        assert_eq!((full.our_shift, full.peer_shift), (3, 3));
        let peer = SynOptions { window_scale: Some(7), ..SynOptions::default() };
        let answer = SynOptions { window_scale: Some(3), mss: Some(1460), ..SynOptions::default() };
        assert_eq!(ours.answer_to(&peer), answer);
    }

    #[test]
    fn the_syn_is_sent_again_with_doubling_intervals() {
        let rto = RtoConfig::default();
        let mut timer = SynTimer::new(Instant::ZERO, Duration::from_secs(180));
        let mut now = Instant::ZERO;
        let mut at = std::vec::Vec::new();
        while at.len() < 5 {
            timer.on_sent(now);
            at.push(now.as_millis());
            now = timer.deadline(&rto);
            assert!(timer.on_timeout(now, &rto) && timer.due);
        }
        assert_eq!(at, [0, 1_000, 3_000, 7_000, 15_000]);
        timer.on_sent(now);
        assert_eq!(timer.deadline(&rto), Instant::from_secs(63));
        assert!(!timer.on_timeout(Instant::from_secs(180), &rto));
    }
}
