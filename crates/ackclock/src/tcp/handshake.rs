//! The handshake: what the SYNs offer, and what both ends agree on (RFC 9293 sections 3.5 and 3.7.1, RFC
//! 7323, RFC 2018).

use super::accurate_ecn::{AccurateAgreement, Again};
use super::{Config, EcnMode, Settings};
use crate::profile::Profile;
use crate::wire::{Flags, Header, Options, Segment, SignatureKind, Timestamps};
use core::marker::PhantomData;

/// Length of a TCP header without options, in bytes.
pub(crate) const TCP_HEADER: u32 = 20;
/// Length of an IPv6 header, in bytes.
const IPV6_HEADER: u8 = 40;
/// Bytes that the timestamps option takes in each segment, padding included (RFC 7323 Appendix A).
const TIMESTAMPS_LEN: u16 = 12;
/// Bytes of the longest option area (RFC 9293 section 3.1).
pub(crate) const MAX_OPTIONS: u16 = 40;
/// Bytes of a SACK option without its blocks, with padding, and of each block (RFC 2018 section 3).
const SACK_HEAD: u16 = 4;
const SACK_BLOCK: u32 = 8;
/// MSS in bytes if the peer's SYN has no MSS option (RFC 9293 MUST-15): IPv4, IPv6.
const DEFAULT_MSS: (u16, u16) = (536, 1220);
/// Least MSS accepted from a peer, in bytes (as Linux's `tcp_min_snd_mss`): with a smaller one most of each
/// packet would be headers.
const LEAST_MSS: u16 = 48;
/// Largest window scale shift (RFC 7323 section 2.3).
const MAX_SHIFT: u8 = 14;

/// What a SYN offers by its options, the timestamps' values aside, and by its flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SynOptions {
    /// Maximum segment size in bytes.
    pub mss: Option<u16>,
    /// Window scale shift count.
    pub window_scale: Option<u8>,
    /// SACK-permitted.
    pub sack_permitted: bool,
    /// Whether there is a timestamps option.
    pub timestamps: bool,
    /// Whether it is an ECN-setup SYN or SYN-ACK (RFC 3168 section 6.1.1).
    pub ecn_setup: bool,
}

impl SynOptions {
    /// What a SYN or SYN-ACK with this header offers.
    pub fn of(header: &Header) -> Self {
        let Header { flags, options, .. } = header;
        // A peer that reflects all our flags must not be taken for one that supports ECN.
        let congestion_flags = (flags.contains(Flags::ECE), flags.contains(Flags::CWR));
        SynOptions {
            mss: options.mss,
            window_scale: options.window_scale,
            sack_permitted: options.sack_permitted,
            timestamps: options.timestamps.is_some(),
            ecn_setup: congestion_flags == (true, !flags.contains(Flags::ACK)),
        }
    }

    /// The flags `syn`, with those of an ECN-setup SYN or SYN-ACK if this is one.
    pub(crate) fn flags(&self, syn: Flags) -> Flags {
        match (self.ecn_setup, syn.contains(Flags::ACK)) {
            (true, false) => syn | Flags::ECE | Flags::CWR,
            (true, true) => syn | Flags::ECE,
            (false, _) => syn,
        }
    }

    /// The options of the SYN, with our timestamps if it offers that option.
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

/// The smallest shift count with which a window of `window` bytes fits into the header's 16 bits.
fn window_shift(window: usize) -> u8 {
    let bits = usize::BITS - window.leading_zeros();
    (bits.saturating_sub(u16::BITS) as u8).min(MAX_SHIFT)
}

/// What our SYN offers; once the peer's SYN is known, what both ends agree on. What the profile leaves out is
/// never offered, and so never agreed on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Agreement<P: Profile> {
    /// MSS announced by the peer in bytes, or the default; 0 until its SYN is known.
    pub(crate) peer_mss: u16,
    /// MSS announced by us, in bytes.
    pub(crate) our_mss: u16,
    /// Whether window scaling is in use.
    pub(crate) scaled: bool,
    /// Shift count of the windows that we advertise.
    pub(crate) our_shift: u8,
    /// Shift count of the windows that the peer advertises.
    pub(crate) peer_shift: u8,
    /// SACK in both directions.
    pub(crate) sack: bool,
    /// Timestamps in both directions.
    pub(crate) timestamps: bool,
    /// ECN in both directions.
    pub(crate) ecn: bool,
    /// Signature option of every segment, which is configured and not negotiated (RFC 2385 section 2, RFC
    /// 5925 section 5.3).
    pub(crate) signature: Option<SignatureKind>,
    /// AccECN in both directions, which then replaces classic ECN; and whether classic ECN marks are echoed
    /// otherwise.
    pub(crate) accurate: AccurateAgreement,
    pub(crate) profile: PhantomData<P>,
}

/// What the user allows our SYN to offer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offer {
    mss: Option<u16>,
    window_scaling: bool,
    timestamps: bool,
    sack: bool,
    pub(super) ecn: EcnMode,
}

impl Offer {
    pub(crate) fn of(config: &Config) -> Self {
        let Config { mss, window_scaling, timestamps, sack, ecn, .. } = *config;
        Offer { mss, window_scaling, timestamps, sack, ecn }
    }
}

impl<P: Profile> Agreement<P> {
    /// What our SYN offers. `mtu` is the link's, `ip_header` the length of the IP header, `window` the
    /// largest receive window, all in bytes.
    // Compiled once for both active and passive opens.
    #[cfg_attr(target_pointer_width = "64", inline(never))]
    pub(crate) fn offer(offer: &Offer, mtu: u32, ip_header: u8, window: usize) -> Self {
        let fits = mtu.saturating_sub(u32::from(ip_header) + TCP_HEADER);
        let fits = fits.clamp(1, u32::from(u16::MAX)) as u16;
        let own = offer.mss.filter(|_| P::RARE_SETTINGS);
        let scaled = P::WINDOW_SCALING && offer.window_scaling;
        Agreement {
            peer_mss: 0,
            our_mss: own.map_or(fits, |own| own.min(fits)),
            scaled,
            our_shift: if scaled { window_shift(window) } else { 0 },
            peer_shift: 0,
            sack: P::SACK && offer.sack,
            timestamps: P::TIMESTAMPS && offer.timestamps,
            ecn: P::ECN && offer.ecn != EcnMode::Off,
            signature: None,
            accurate: AccurateAgreement::offer(P::ACCURATE_ECN && offer.ecn.is_accurate()),
            profile: PhantomData,
        }
    }

    /// Has every segment signed. Timestamps and an MD5 signature leave no room for SACK blocks: if SACK is
    /// offered or agreed on, timestamps are given up, as Linux does. TCP-AO leaves room for one SACK block
    /// (RFC 5925 section 7.6).
    pub(crate) fn sign(&mut self, kind: SignatureKind) {
        if P::SIGNATURES {
            self.signature = Some(kind);
            self.timestamps &= !self.sack || kind == SignatureKind::Ao;
        }
    }

    /// How each segment is signed, if segments are.
    #[inline]
    pub(crate) fn signature(&self) -> Option<SignatureKind> {
        if P::SIGNATURES { self.signature } else { None }
    }

    /// Whether each segment is signed.
    #[inline]
    pub(crate) fn is_signed(&self) -> bool {
        self.signature().is_some()
    }

    /// Agrees with the options of the peer's SYN: an option that only one side offers is not used.
    pub(crate) fn agree(&mut self, peers: &SynOptions, ip_header: u8) {
        let default_mss = if ip_header == IPV6_HEADER { DEFAULT_MSS.1 } else { DEFAULT_MSS.0 };
        let told = peers.mss.filter(|mss| *mss > 0);
        self.peer_mss = told.map_or(default_mss, |mss| mss.max(LEAST_MSS));
        if P::WINDOW_SCALING {
            self.scaled &= peers.window_scale.is_some();
            (self.our_shift, self.peer_shift) = match peers.window_scale {
                Some(peer_shift) if self.scaled => (self.our_shift, peer_shift.min(MAX_SHIFT)),
                _ => (0, 0),
            };
        }
        self.sack &= P::SACK && peers.sack_permitted;
        self.timestamps &= P::TIMESTAMPS && peers.timestamps;
        self.ecn &= P::ECN && peers.ecn_setup;
        self.accurate.set_classic_echo(self.ecn);
    }

    /// Agrees on AccECN, after [`agree`](Self::agree): `syn` is the peer's SYN, or its SYN-ACK, and the ECN
    /// codepoint of its IP header counts too.
    pub(crate) fn agree_on_ecn(&mut self, syn: &Segment<'_>) {
        if !P::ACCURATE_ECN {
            return;
        }
        let (flags, ecn) = (syn.header.flags, syn.ip.ecn);
        let agreed = match flags.contains(Flags::ACK) {
            true => self.accurate.take_syn_ack(flags, ecn),
            false => self.accurate.take_syn(flags, ecn),
        };
        if agreed {
            self.ecn = false;
            self.accurate.set_classic_echo(false);
        }
    }

    /// Handles a retransmitted SYN of the peer. If it no longer asks for ECN, classic ECN is not used (RFC
    /// 3168 section 6.1.1.1); with AccECN the mode stays (RFC 9768 section 3.1.5).
    pub(crate) fn take_syn_again(&mut self, syn: &Segment<'_>) -> Again {
        if P::ACCURATE_ECN {
            let again = self.accurate.take_syn_again(syn.header.flags, syn.ip.ecn, self.ecn);
            if again == Again::Clashes || self.accurate.is_agreed() {
                return again;
            }
        }
        if P::ECN {
            self.ecn &= SynOptions::of(&syn.header).ecn_setup;
            self.accurate.set_classic_echo(self.ecn);
        }
        Again::Goes
    }

    /// The flags of an ack sent before the handshake is finished: with AccECN they hold the counter's initial
    /// value.
    pub(crate) fn ack_flags(&self) -> Flags {
        let counter = if P::ACCURATE_ECN && self.accurate.is_agreed() {
            AccurateAgreement::FIRST_COUNTER
        } else {
            Flags::NONE
        };
        Flags::ACK | counter
    }

    /// The flags of the SYN-ACK to be sent now, after `timeouts` earlier ones that were not answered.
    pub(crate) fn syn_ack_flags(&self, offer: &SynOptions, timeouts: u32) -> Flags {
        let syn_ack = Flags::SYN | Flags::ACK;
        if P::ACCURATE_ECN && self.accurate.is_agreed() {
            return syn_ack | self.accurate.syn_ack_flags(timeouts);
        }
        offer.flags(syn_ack)
    }

    /// The options in use; the default (none) until the peer's SYN is known.
    pub(crate) fn in_use(&self) -> Self {
        if self.peer_mss > 0 { *self } else { Agreement::default() }
    }

    /// The options of our SYN: what it offers, or if the peer's SYN is known what it agrees to.
    pub(crate) fn syn_options(&self) -> SynOptions {
        SynOptions {
            mss: Some(self.our_mss),
            window_scale: (P::WINDOW_SCALING && self.scaled).then_some(self.our_shift),
            sack_permitted: P::SACK && self.sack,
            timestamps: P::TIMESTAMPS && self.timestamps,
            ecn_setup: P::ECN && self.ecn,
        }
    }

    /// The peer's window in bytes, by the window field of a segment that is no SYN.
    pub(crate) fn peer_window(&self, field: u16) -> u32 {
        let shift = if P::WINDOW_SCALING { self.peer_shift } else { 0 };
        u32::from(field) << shift
    }

    /// The window field that advertises a window of `bytes`.
    pub(crate) fn window_field(&self, bytes: u16) -> u16 {
        if P::WINDOW_SCALING { bytes >> self.our_shift } else { bytes }
    }

    /// Payload bytes of a full-sized segment with an MSS of `mss` bytes: what the options of every segment
    /// leave, at least 1.
    fn payload(&self, mss: u16) -> u16 {
        mss.saturating_sub(self.len_of_options()).max(1)
    }

    /// Bytes of the options of every segment.
    fn len_of_options(&self) -> u16 {
        let timestamps = if P::TIMESTAMPS && self.timestamps { TIMESTAMPS_LEN } else { 0 };
        let signature = self.signature().map_or(0, |kind| kind.len().into());
        timestamps + signature
    }

    /// Bytes of a SACK option with `blocks` blocks, or with as many as fit beside the options of every segment.
    pub(crate) fn len_of_blocks(&self, blocks: usize) -> u32 {
        let room = u32::from(MAX_OPTIONS.saturating_sub(SACK_HEAD + self.len_of_options()));
        match (room / SACK_BLOCK).min(blocks as u32) {
            0 => 0,
            blocks => u32::from(SACK_HEAD) + SACK_BLOCK * blocks,
        }
    }

    /// Eff.snd.MSS (section 3.7.1): payload bytes of a full-sized segment on a path with an MTU of `mtu`
    /// bytes.
    pub(crate) fn send_mss(&self, settings: &Settings<P>, mtu: u32, ip_header: u8) -> u32 {
        let path = mtu.saturating_sub(u32::from(ip_header) + TCP_HEADER);
        let path = u16::try_from(path).unwrap_or(u16::MAX);
        let own = settings.mss().unwrap_or(u16::MAX);
        self.payload(self.peer_mss.min(path).min(own)).into()
    }

    /// Payload bytes of a full-sized segment from the peer.
    pub(crate) fn receive_mss(&self) -> u16 {
        self.payload(self.our_mss)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Full, Least};

    #[test]
    fn the_shift_is_the_smallest_that_fits() {
        for (window, shift) in [(65_535, 0), (65_536, 1), (262_144, 3), (1 << 30, 14)] {
            assert_eq!(window_shift(window), shift, "{window}");
        }
    }

    #[test]
    fn options_are_used_only_if_both_offer_them() {
        let config = Config::default();
        let offer = Agreement::<Full>::offer(&Offer::of(&config), 1500, 20, 262_144);
        let ours = offer.syn_options();
        assert_eq!((ours.mss, ours.window_scale), (Some(1460), Some(3)));
        assert!(ours.sack_permitted && ours.timestamps && ours.ecn_setup);
        let agreed = |peer: &SynOptions, ip_header| {
            let mut agreement = offer;
            assert!(!agreement.in_use().sack);
            agreement.agree(peer, ip_header);
            agreement
        };
        let bare = agreed(&SynOptions::default(), 20);
        assert_eq!((bare.peer_mss, bare.scaled), (536, false));
        assert_eq!((bare.sack, bare.timestamps), (false, false));
        let settings = Settings::<Full>::new(&config);
        assert_eq!(bare.send_mss(&settings, 1500, 20), 536);
        assert_eq!(agreed(&SynOptions::default(), 40).peer_mss, 1220);
        let full = agreed(&SynOptions { mss: Some(1400), ..ours }, 20);
        assert_eq!(full.send_mss(&settings, 1500, 20), 1388);
        assert_eq!(full.send_mss(&settings, 1000, 20), 948);
        assert_eq!(full.receive_mss(), 1448);
        assert_eq!((full.our_shift, full.peer_shift), (3, 3));
        let peer = SynOptions { window_scale: Some(7), ..SynOptions::default() };
        let answer = SynOptions { window_scale: Some(3), mss: Some(1460), ..SynOptions::default() };
        assert_eq!(agreed(&peer, 20).syn_options(), answer);
    }

    /// MUST-15; Linux believes no less than 48 bytes either, and takes 0 for none.
    #[test]
    fn a_peers_mss_that_cannot_be_meant_is_not_believed() {
        let agreed = |mss, ip_header| {
            let mut agreement =
                Agreement::<Full>::offer(&Offer::of(&Config::default()), 1500, ip_header, 0);
            agreement.agree(&SynOptions { mss, timestamps: true, ..Default::default() }, ip_header);
            let settings = Settings::new(&Config::default());
            (agreement.peer_mss, agreement.send_mss(&settings, 1500, ip_header))
        };
        for ip_header in [20, 40] {
            assert_eq!(agreed(Some(1), ip_header), (48, 36), "less the timestamps");
            assert_eq!(agreed(Some(47), ip_header), (48, 36));
            assert_eq!(agreed(Some(49), ip_header), (49, 37));
        }
        for mss in [None, Some(0)] {
            assert_eq!(agreed(mss, 20), (536, 524));
            assert_eq!(agreed(mss, 40), (1220, 1208));
        }
    }

    #[test]
    fn what_was_left_out_is_neither_offered_nor_used() {
        let config = Config { mss: Some(900), ..Config::default() };
        let mut agreement = Agreement::<Least>::offer(&Offer::of(&config), 1500, 20, 262_144);
        let bare = SynOptions { mss: Some(1460), ..SynOptions::default() };
        assert_eq!(agreement.syn_options(), bare);
        let peer = SynOptions {
            mss: Some(1400),
            window_scale: Some(7),
            sack_permitted: true,
            timestamps: true,
            ecn_setup: true,
        };
        agreement.agree(&peer, 20);
        assert_eq!(agreement.syn_options(), bare);
        assert_eq!((agreement.peer_window(1_000), agreement.window_field(1_000)), (1_000, 1_000));
        assert_eq!(agreement.receive_mss(), 1460);
        assert_eq!((agreement.ecn, agreement.accurate.echoes_classic()), (false, false));
    }
}
