//! The rules of the receiving half with exact numbers, and all of them together against a bitmap.

mod acks;
mod data;
mod fin;
mod model;
mod sack;
mod windows;

use super::ranges::{FewRanges, NoRanges, OneRange, Ranges};
use super::*;
use crate::profile::Full;
use crate::tcp::{AckPolicy, AckTimer, Config};
use crate::time::Duration;
use std::vec;
use std::vec::Vec;

const IRS: SeqNumber = SeqNumber(999);
const NOW: Instant = Instant::from_secs(1);
const MSS: u32 = 500;

const DELAYED: AckPolicy = AckPolicy::Delayed { timeout: Duration::from_millis(40), quick_acks: 0 };

/// The settings of a receiver, and what it has agreed on with its peer.
#[derive(Clone, Copy)]
struct Setup {
    ack_policy: AckPolicy,
    ack_timer: AckTimer,
    clock_phase: u32,
    receive_limit: u32,
    reassembly_ranges: u32,
    sack: bool,
    window_shift: u8,
    mss: u32,
}

fn config() -> Setup {
    Setup {
        ack_policy: DELAYED,
        ack_timer: AckTimer::PerSegment,
        clock_phase: 0,
        receive_limit: 0,
        reassembly_ranges: 0,
        sack: true,
        window_shift: 0,
        mss: MSS,
    }
}

/// The receiver of a peer whose SYN had the number `irs`, and to which our own SYN advertised
/// `advertised` bytes.
fn agreed<'a>(
    irs: SeqNumber,
    advertised: u32,
    setup: &Setup,
    ring: Buffer<'a, u8>,
    ranges: Buffer<'a, SeqRange>,
) -> Receiver<'a, Full> {
    agreed_by(irs, advertised, setup, ring, ranges)
}

/// The same under any profile.
fn agreed_by<'a, P: Profile>(
    irs: SeqNumber,
    advertised: u32,
    setup: &Setup,
    ring: Buffer<'a, u8>,
    ranges: Buffer<'a, SeqRange>,
) -> Receiver<'a, P> {
    let mut config = Config::new();
    config.receive_buffer = setup.receive_limit;
    config.reassembly_ranges = setup.reassembly_ranges;
    (config.ack_policy, config.ack_timer) = (setup.ack_policy, setup.ack_timer);
    let mut receiver = Receiver::new(&Initial::new(&config, setup.clock_phase), ring, ranges);
    let agreement = Agreement {
        sack: setup.sack,
        our_shift: setup.window_shift,
        our_mss: setup.mss as u16,
        ..Agreement::default()
    };
    receiver.agree(irs, advertised as u16, &agreement);
    receiver
}

/// A receiver that expects number 1000 next, in lent memory, all of it advertised.
fn receiver_with(config: &Setup, memory: usize, ranges: usize) -> Receiver<'static, Full> {
    receiver_at(IRS, config, memory, ranges)
}

fn receiver_at(
    irs: SeqNumber,
    config: &Setup,
    memory: usize,
    ranges: usize,
) -> Receiver<'static, Full> {
    agreed(
        irs,
        memory as u32,
        config,
        Buffer::lent(vec![0; memory].leak()),
        Buffer::lent(vec![SeqRange::default(); ranges].leak()),
    )
}

fn receiver() -> Receiver<'static, Full> {
    receiver_with(&config(), 10_000, 8)
}

/// Hands over the bytes `[start, end)` of a stream in which each number has a byte of its own.
fn deliver(receiver: &mut Receiver<'_, Full>, start: u32, end: u32) -> Arrival {
    receiver.on_segment(NOW, SeqNumber(start), &stream(start, end), false, false)
}

fn deliver_fin(receiver: &mut Receiver<'_, Full>, start: u32, end: u32) -> Arrival {
    receiver.on_segment(NOW, SeqNumber(start), &stream(start, end), true, false)
}

fn stream(start: u32, end: u32) -> Vec<u8> {
    let len = end.wrapping_sub(start);
    (0..len).map(|i| byte_at(start.wrapping_add(i))).collect()
}

fn byte_at(number: u32) -> u8 {
    (number.wrapping_mul(0x9e37_79b1) >> 24) as u8
}

/// Sends an ack; returns the window in it.
fn ack(receiver: &mut Receiver<'_, Full>) -> u32 {
    let window = receiver.window();
    receiver.on_ack_sent(NOW, window);
    window
}

/// Delivers a segment and sends the ack that it must cause at once: its number and SACK blocks.
fn answer(receiver: &mut Receiver<'_, Full>, start: u32, end: u32) -> (u32, Vec<(u32, u32)>) {
    deliver(receiver, start, end);
    acknowledge(receiver)
}

fn acknowledge(receiver: &mut Receiver<'_, Full>) -> (u32, Vec<(u32, u32)>) {
    assert!(receiver.ack_due(NOW), "an ack is due at once");
    let blocks = blocks(receiver);
    ack(receiver);
    (receiver.rcv_nxt().0, blocks)
}

fn blocks<P: Profile>(receiver: &Receiver<'_, P>) -> Vec<(u32, u32)> {
    let mut blocks = SackBlocks::EMPTY;
    receiver.report_sack(&mut blocks);
    let edges = |block: &SeqRange| (block.start.0, block.end.0);
    blocks.as_slice().iter().map(edges).collect()
}

fn read_all(receiver: &mut Receiver<'_, Full>) -> Vec<u8> {
    let mut bytes = vec![0; receiver.queued()];
    assert_eq!(receiver.read(&mut bytes), bytes.len());
    bytes
}

fn accepted(accepted: u32) -> Arrival {
    Arrival { accepted, ..Arrival::default() }
}
