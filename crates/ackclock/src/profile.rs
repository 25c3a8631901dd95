//! Profiles: the optional parts of the stack that a program image is built with, chosen by types.
//!
//! A [`Profile`] names one type for each optional part. [`Full`] has all of them, and is the default of
//! [`Stack`](crate::stack::Stack). Firmware that counts bytes defines its own with
//! [`profile!`](crate::profile!), and the parts that it leaves out take neither code nor memory: their state
//! is zero-sized, and branches on them are decided at compile time.

use crate::stack::scale::{self, Scale};
use crate::tcp::flight::FlightChoice;
use crate::tcp::ranges::RangesChoice;
use crate::tcp::recovery::RecoveryChoice;
use crate::tcp::{PieceChoice, UnitChoice};
use crate::wire::Formats;
use core::fmt::Debug;

pub use crate::tcp::ranges::{FewRanges, ManyRanges, NoRanges, OneRange};
pub use scale::{Few, Many};

/// Whether an image has an optional part: [`Present`] or [`Absent`].
pub trait Part: sealed::Sealed + Copy + Eq + Debug + Default + Send + Sync + 'static {
    /// Whether the part is present.
    const PRESENT: bool;
    /// Copyable state of the part: a `T`, or nothing if the part is absent.
    type Keeps<T: Copy + Debug>: Kept<T> + Copy;
    /// State of the part in general: a `T`, or nothing if the part is absent.
    type Owns<T: Debug>: Kept<T>;
    /// State of the part with a constant initial value: a `T`, or nothing if the part is absent.
    type Begins<T: Debug + InitialValue>: Kept<T> + InitialValue;
}

/// A type with a constant initial value, so that memory for it can be a `static`.
pub trait InitialValue {
    /// The initial value.
    const INITIAL: Self;
}

/// The part is present.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Present;

/// The part is absent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Absent;

impl Part for Present {
    const PRESENT: bool = true;
    type Keeps<T: Copy + Debug> = Here<T>;
    type Owns<T: Debug> = Here<T>;
    type Begins<T: Debug + InitialValue> = Here<T>;
}

impl Part for Absent {
    const PRESENT: bool = false;
    type Keeps<T: Copy + Debug> = Nothing;
    type Owns<T: Debug> = Nothing;
    type Begins<T: Debug + InitialValue> = Nothing;
}

mod sealed {
    /// Restricts `Part` to these two types.
    pub trait Sealed {}
    impl Sealed for super::Present {}
    impl Sealed for super::Absent {}
}

/// State of an optional part.
pub trait Kept<T>: Debug {
    /// The state with this initial value.
    fn new(value: T) -> Self;
    /// The state with the value that `make` returns, which is called only if the part is present.
    fn new_with(make: impl FnOnce() -> T) -> Self;
    /// The state; `None` if the part is absent, which is known at compile time.
    fn get(&self) -> Option<&T>;
    /// The state, mutable; `None` if the part is absent.
    fn get_mut(&mut self) -> Option<&mut T>;
}

/// State of a part that is present.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Here<T>(T);

/// State of a part that is absent: none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Nothing;

impl<T: Debug> Kept<T> for Here<T> {
    #[inline(always)]
    fn new(value: T) -> Self {
        Here(value)
    }

    #[inline(always)]
    fn new_with(make: impl FnOnce() -> T) -> Self {
        Here(make())
    }

    #[inline(always)]
    fn get(&self) -> Option<&T> {
        Some(&self.0)
    }

    #[inline(always)]
    fn get_mut(&mut self) -> Option<&mut T> {
        Some(&mut self.0)
    }
}

impl<T: InitialValue> InitialValue for Here<T> {
    const INITIAL: Self = Here(T::INITIAL);
}

impl InitialValue for Nothing {
    const INITIAL: Self = Nothing;
}

impl<T> Kept<T> for Nothing {
    #[inline(always)]
    fn new(_value: T) -> Self {
        Nothing
    }

    #[inline(always)]
    fn new_with(_make: impl FnOnce() -> T) -> Self {
        Nothing
    }

    #[inline(always)]
    fn get(&self) -> Option<&T> {
        None
    }

    #[inline(always)]
    fn get_mut(&mut self) -> Option<&mut T> {
        None
    }
}

/// The optional parts that an image has. Define one with [`profile!`](crate::profile!).
pub trait Profile: Copy + Eq + Debug + Default + Send + Sync + 'static {
    /// More accurate congestion notification, a counter instead of an echo (RFC 9768). It needs
    /// [`Ecn`](Self::Ecn).
    type AccurateEcn: Part;
    /// Active open (RFC 9293 section 3.10.1); without it all connections are opened by peers.
    type ActiveOpen: Part;
    /// The number of connections, [`Many`] or [`Few`], which selects how connections are found by their
    /// four-tuples and deadlines by their times.
    type Connections: Scale;
    /// The counters of [`Info`](crate::tcp::Info), of [`Statistics`](crate::stack::Statistics) and of
    /// Ethernet; without them all are zero.
    type Counters: Part;
    /// Delivery rate samples, for each transmission and each round trip; BBR needs them.
    type DeliveryRate: Part;
    /// Explicit congestion notification (RFC 3168).
    type Ecn: Part;
    /// TCP Fast Open (RFC 7413): data in SYNs, as client and server. It needs
    /// [`ActiveOpen`](Self::ActiveOpen).
    type FastOpen: Part;
    /// How the data in flight is recorded: one of the types in [`tcp::flight`](crate::tcp::flight).
    type Flight: FlightChoice;
    /// Historic behaviour: retransmission timers from before RFC 6298, clocks that tick, and (with
    /// [`RareSettings`](Self::RareSettings)) 4.3BSD's ack policy.
    type Historic: UnitChoice;
    /// Path metrics that earlier connections to a host have learned (RFC 9040), for connections that
    /// [ask](crate::tcp::Config::reuse_metrics) for them.
    type HostMetrics: Part;
    /// ICMP errors: path MTU discovery (RFC 1191, RFC 8201) and unreachable destinations; without it they are
    /// counted and ignored.
    type IcmpErrors: Part;
    /// Measurement of what limits a sender, and for how long (RFC 4898); see
    /// [`LimitTimes`](crate::tcp::LimitTimes).
    type LimitTimes: Part;
    /// Pacing, and the burst limit; BBR needs it.
    type Pacing: Part;
    /// Path MTU discovery by probes, without ICMP (RFC 4821); it needs
    /// [`Records`](crate::tcp::flight::Records).
    type PathProbing: Part;
    /// The predicted road (fast path) for the packets that make up nearly all traffic: more code, more speed.
    type Prediction: Part;
    /// How many ranges of out-of-order data are kept, and how they are found: [`ManyRanges`], [`FewRanges`],
    /// [`OneRange`] or [`NoRanges`].
    type Ranges: RangesChoice;
    /// Settings that are rarely changed; [`Config`](crate::tcp::Config) says which.
    type RareSettings: Part;
    /// Loss recovery: one of the types in [`tcp::recovery`](crate::tcp::recovery).
    type Recovery: RecoveryChoice;
    /// Up to 64 segments in one transmission, for links with segmentation offload; and separate counting of
    /// segments that a link has merged.
    type Segmentation: PieceChoice;
    /// Selective acknowledgments in both directions (RFC 2018, RFC 2883). With [`NoRanges`] ours report only
    /// duplicates.
    type Sack: Part;
    /// SACK blocks beside data and FINs, whose segments are then shorter (RFC 2018 section 4: "in all ACKs");
    /// without it only acks have them, one of which goes before the data. It needs [`Sack`](Self::Sack).
    type SackWithData: Part;
    /// Signatures of segments with keys shared by both ends (RFC 2385, with the feature `tcp-md5`, and RFC
    /// 5925, with `tcp-ao`).
    type Signatures: Part;
    /// SYN cookies (RFC 4987 section 3.6): a listener with no room for another half-open connection answers
    /// SYNs without keeping state; without them the oldest half-open connection is dropped.
    type SynCookies: Part;
    /// The timestamps option, for round-trip time measurement and PAWS (RFC 7323).
    type Timestamps: Part;
    /// Undoing of reductions for spurious losses and timeouts (RFC 3522, RFC 3708, RFC 4015, RFC 5682).
    type Undo: Part;
    /// Urgent data (RFC 9293 section 3.8.5).
    type Urgent: Part;
    /// The user timeout option, in both directions (RFC 5482); it needs [`RareSettings`](Self::RareSettings).
    type UserTimeoutOption: Part;
    /// The window scale option, for windows of more than 64 KiB (RFC 7323 section 2).
    type WindowScaling: Part;
    /// Congestion window validation (RFC 7661).
    type WindowValidation: Part;

    /// Whether the image has [`AccurateEcn`](Self::AccurateEcn), and what that needs.
    const ACCURATE_ECN: bool = <Self::AccurateEcn as Part>::PRESENT && Self::ECN;
    /// Whether the image has [`ActiveOpen`](Self::ActiveOpen).
    const ACTIVE_OPEN: bool = <Self::ActiveOpen as Part>::PRESENT;
    /// Whether the image has [`Counters`](Self::Counters).
    const COUNTERS: bool = <Self::Counters as Part>::PRESENT;
    /// Whether the image has [`DeliveryRate`](Self::DeliveryRate).
    const DELIVERY_RATE: bool = <Self::DeliveryRate as Part>::PRESENT;
    /// Whether the image has [`Ecn`](Self::Ecn).
    const ECN: bool = <Self::Ecn as Part>::PRESENT;
    /// Whether the image has [`FastOpen`](Self::FastOpen), and what that needs.
    const FAST_OPEN: bool = <Self::FastOpen as Part>::PRESENT && Self::ACTIVE_OPEN;
    /// Whether the image has [`Historic`](Self::Historic).
    const HISTORIC: bool = <Self::Historic as Part>::PRESENT;
    /// Whether the image has [`HostMetrics`](Self::HostMetrics).
    const HOST_METRICS: bool = <Self::HostMetrics as Part>::PRESENT;
    /// Whether the image has [`IcmpErrors`](Self::IcmpErrors).
    const ICMP_ERRORS: bool = <Self::IcmpErrors as Part>::PRESENT;
    /// Whether the image has [`LimitTimes`](Self::LimitTimes).
    const LIMIT_TIMES: bool = <Self::LimitTimes as Part>::PRESENT;
    /// Whether the image has [`Pacing`](Self::Pacing).
    const PACING: bool = <Self::Pacing as Part>::PRESENT;
    /// Whether the image has [`PathProbing`](Self::PathProbing).
    const PATH_PROBING: bool = <Self::PathProbing as Part>::PRESENT;
    /// Whether the image has [`Prediction`](Self::Prediction).
    const PREDICTION: bool = <Self::Prediction as Part>::PRESENT;
    /// Whether the image has [`RareSettings`](Self::RareSettings).
    const RARE_SETTINGS: bool = <Self::RareSettings as Part>::PRESENT;
    /// Whether the image has [`Segmentation`](Self::Segmentation).
    const SEGMENTATION: bool = <Self::Segmentation as Part>::PRESENT;
    /// Whether the image has [`Sack`](Self::Sack).
    const SACK: bool = <Self::Sack as Part>::PRESENT;
    /// Whether the image has [`SackWithData`](Self::SackWithData), and what that needs.
    const SACK_WITH_DATA: bool = <Self::SackWithData as Part>::PRESENT && Self::SACK;
    /// Whether the image has [`Signatures`](Self::Signatures).
    const SIGNATURES: bool = <Self::Signatures as Part>::PRESENT;
    /// Whether the image has [`SynCookies`](Self::SynCookies).
    const SYN_COOKIES: bool = <Self::SynCookies as Part>::PRESENT;
    /// Whether the image has [`Timestamps`](Self::Timestamps).
    const TIMESTAMPS: bool = <Self::Timestamps as Part>::PRESENT;
    /// Whether the image has [`Undo`](Self::Undo).
    const UNDO: bool = <Self::Undo as Part>::PRESENT;
    /// Whether the image has [`Urgent`](Self::Urgent).
    const URGENT: bool = <Self::Urgent as Part>::PRESENT;
    /// Whether the image has [`UserTimeoutOption`](Self::UserTimeoutOption), and what that needs.
    const USER_TIMEOUT_OPTION: bool =
        <Self::UserTimeoutOption as Part>::PRESENT && Self::RARE_SETTINGS;
    /// Whether the image has [`WindowScaling`](Self::WindowScaling).
    const WINDOW_SCALING: bool = <Self::WindowScaling as Part>::PRESENT;
    /// Whether the image has [`WindowValidation`](Self::WindowValidation).
    const WINDOW_VALIDATION: bool = <Self::WindowValidation as Part>::PRESENT;
}

impl<P: Profile> Formats for P {
    const ACCURATE_ECN: bool = P::ACCURATE_ECN;
    const FAST_OPEN: bool = P::FAST_OPEN;
    const ICMP_ERRORS: bool = P::ICMP_ERRORS;
    const SACK: bool = P::SACK;
    const SIGNATURES: bool = P::SIGNATURES;
    const TIMESTAMPS: bool = P::TIMESTAMPS;
    const USER_TIMEOUT: bool = P::USER_TIMEOUT_OPTION;
    const WINDOW_SCALING: bool = P::WINDOW_SCALING;
}

/// Every part present: the base from which [`profile!`](crate::profile!) removes parts.
#[doc(hidden)]
pub mod full {
    use super::{ManyRanges, Present};
    use crate::tcp::{flight, recovery};

    pub type AccurateEcn = Present;
    pub type ActiveOpen = Present;
    pub type Connections = super::Many;
    pub type Counters = Present;
    pub type DeliveryRate = Present;
    pub type Ecn = Present;
    pub type FastOpen = Present;
    pub type Flight = flight::Records;
    pub type Historic = Present;
    pub type HostMetrics = Present;
    pub type IcmpErrors = Present;
    pub type LimitTimes = Present;
    pub type Pacing = Present;
    pub type PathProbing = Present;
    pub type Prediction = Present;
    pub type Ranges = ManyRanges;
    pub type RareSettings = Present;
    pub type Recovery = recovery::All;
    pub type Segmentation = Present;
    pub type Sack = Present;
    pub type SackWithData = Present;
    pub type Signatures = Present;
    pub type SynCookies = Present;
    pub type Timestamps = Present;
    pub type Undo = Present;
    pub type Urgent = Present;
    pub type UserTimeoutOption = Present;
    pub type WindowScaling = Present;
    pub type WindowValidation = Present;
}

/// Every part absent: the base to which [`profile!`](crate::profile!) adds parts.
#[doc(hidden)]
pub mod least {
    use super::{Absent, NoRanges};
    use crate::tcp::{flight, recovery};

    pub type AccurateEcn = Absent;
    pub type ActiveOpen = Absent;
    pub type Connections = super::Few;
    pub type Counters = Absent;
    pub type DeliveryRate = Absent;
    pub type Ecn = Absent;
    pub type FastOpen = Absent;
    pub type Flight = flight::InBulk;
    pub type Historic = Absent;
    pub type HostMetrics = Absent;
    pub type IcmpErrors = Absent;
    pub type LimitTimes = Absent;
    pub type Pacing = Absent;
    pub type PathProbing = Absent;
    pub type Prediction = Absent;
    pub type Ranges = NoRanges;
    pub type RareSettings = Absent;
    pub type Recovery = recovery::NewReno;
    pub type Segmentation = Absent;
    pub type Sack = Absent;
    pub type SackWithData = Absent;
    pub type Signatures = Absent;
    pub type SynCookies = Absent;
    pub type Timestamps = Absent;
    pub type Undo = Absent;
    pub type Urgent = Absent;
    pub type UserTimeoutOption = Absent;
    pub type WindowScaling = Absent;
    pub type WindowValidation = Absent;
}

/// Defines an image's [`Profile`](crate::profile::Profile): all parts (`full`) or none (`least`), except for
/// those that are named.
///
/// ```
/// use ackclock::profile::{Absent, Present, Profile};
///
/// ackclock::profile! {
///     /// Opens connections, and measures round trips by timestamps.
///     pub struct Sensor: least { ActiveOpen = Present, Timestamps = Present }
/// }
/// ackclock::profile! {
///     struct WithoutUrgentData: full { Urgent = Absent }
/// }
///
/// assert!(Sensor::TIMESTAMPS && !Sensor::URGENT);
/// assert!(WithoutUrgentData::TIMESTAMPS && !WithoutUrgentData::URGENT);
/// ```
#[macro_export]
macro_rules! profile {
    ($(#[$meta:meta])* $visibility:vis struct $name:ident: $base:ident {
        $($part:ident = $choice:ty),* $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
        $visibility struct $name;

        // A name defined here hides the base's item of that name.
        const _: () = {
            #[allow(unused_imports, reason = "a profile may choose every part itself")]
            use $crate::profile::$base::*;
            $(type $part = $choice;)*

            impl $crate::profile::Profile for $name {
                type AccurateEcn = AccurateEcn;
                type ActiveOpen = ActiveOpen;
                type Connections = Connections;
                type Counters = Counters;
                type DeliveryRate = DeliveryRate;
                type Ecn = Ecn;
                type FastOpen = FastOpen;
                type Flight = Flight;
                type Historic = Historic;
                type HostMetrics = HostMetrics;
                type IcmpErrors = IcmpErrors;
                type LimitTimes = LimitTimes;
                type Pacing = Pacing;
                type PathProbing = PathProbing;
                type Prediction = Prediction;
                type Ranges = Ranges;
                type RareSettings = RareSettings;
                type Recovery = Recovery;
                type Segmentation = Segmentation;
                type Sack = Sack;
                type SackWithData = SackWithData;
                type Signatures = Signatures;
                type SynCookies = SynCookies;
                type Timestamps = Timestamps;
                type Undo = Undo;
                type Urgent = Urgent;
                type UserTimeoutOption = UserTimeoutOption;
                type WindowScaling = WindowScaling;
                type WindowValidation = WindowValidation;
            }
        };
    };
}

profile! {
    /// Every part: the profile of hosts.
    pub struct Full: full {}
}

profile! {
    /// The parts that a client or server on the Internet should have, without those that only hosts with many
    /// connections, fast links or experiments need: active open, NewReno and SACK recovery by RFC 6675, about
    /// four out-of-order ranges, timestamps, window scaling, ICMP errors and undoing of spurious reductions.
    pub struct Internet: least {
        ActiveOpen = Present,
        Flight = crate::tcp::flight::Records,
        IcmpErrors = Present,
        Ranges = FewRanges,
        Recovery = crate::tcp::recovery::Rfc6675,
        Sack = Present,
        SackWithData = Present,
        Timestamps = Present,
        Undo = Present,
        WindowScaling = Present,
    }
}

profile! {
    /// No optional part: the smallest TCP, which opens no connection and has no timestamps.
    pub struct Least: least {}
}
