//! Rings and queues behave like the simplest thing that could do their work, on lent and on owned
//! memory.

use ackclock::storage::{Buffer, Deque, Ring};
use proptest::prelude::*;
use std::collections::VecDeque;

#[derive(Clone, Debug)]
enum RingAction {
    Push(Vec<u8>),
    /// Write behind the end at an offset.
    WriteBehind(usize, Vec<u8>),
    /// Count in what was written behind the end without a hole.
    Extend,
    Consume(usize),
    Release,
}

fn ring_action() -> impl Strategy<Value = RingAction> {
    let bytes = || prop::collection::vec(any::<u8>(), 0..700);
    prop_oneof![
        bytes().prop_map(RingAction::Push),
        (0..900_usize, bytes()).prop_map(|(offset, bytes)| RingAction::WriteBehind(offset, bytes)),
        Just(RingAction::Extend),
        (0..900_usize).prop_map(RingAction::Consume),
        Just(RingAction::Release),
    ]
}

/// The queued bytes, and the bytes behind them as far as they are known.
#[derive(Default)]
struct RingModel {
    queued: VecDeque<u8>,
    behind: VecDeque<Option<u8>>,
}

impl RingModel {
    fn write_behind(&mut self, offset: usize, bytes: &[u8], limit: usize) -> usize {
        let free = limit - self.queued.len();
        let taken = bytes.len().min(free.saturating_sub(offset));
        if self.behind.len() < offset + taken {
            self.behind.resize(offset + taken, None);
        }
        for (place, byte) in self.behind.range_mut(offset..offset + taken).zip(bytes) {
            *place = Some(*byte);
        }
        taken
    }

    fn extend(&mut self, n: usize) {
        let known = self.behind.drain(..n);
        self.queued.extend(known.map(|byte| byte.expect("written")));
    }
}

fn check_ring(
    mut ring: Ring<'_>,
    limit: usize,
    actions: &[RingAction],
) -> Result<(), TestCaseError> {
    let mut model = RingModel::default();
    for action in actions {
        match action {
            RingAction::Push(bytes) => {
                let taken = model.write_behind(0, bytes, limit);
                model.extend(taken);
                prop_assert_eq!(ring.push(bytes), taken);
            }
            RingAction::WriteBehind(offset, bytes) => {
                let taken = model.write_behind(*offset, bytes, limit);
                prop_assert_eq!(ring.write_behind(*offset, bytes), taken);
            }
            RingAction::Extend => {
                let n = model.behind.iter().take_while(|byte| byte.is_some());
                let n = n.count();
                model.extend(n);
                ring.extend(n);
            }
            RingAction::Consume(n) => {
                let n = (*n).min(model.queued.len());
                model.queued.drain(..n);
                ring.consume(n);
            }
            RingAction::Release => {
                if model.queued.is_empty() {
                    model.behind.clear();
                }
                ring.release();
            }
        }
        let queued: Vec<u8> = model.queued.iter().copied().collect();
        prop_assert_eq!((ring.len(), ring.free()), (queued.len(), limit - queued.len()));
        prop_assert_eq!(ring.slices(0, usize::MAX).concat(), &queued[..]);
        let middle = queued.len() / 3;
        prop_assert_eq!(
            ring.slices(middle, 5).concat(),
            &queued[middle..][..5.min(queued.len() - middle)]
        );
        let mut copied = vec![0; queued.len() + 1];
        prop_assert_eq!(ring.peek(middle, &mut copied), queued.len() - middle);
        prop_assert_eq!(&copied[..queued.len() - middle], &queued[middle..]);
        prop_assert!(ring.allocated() <= limit);
    }
    Ok(())
}

#[derive(Clone, Debug)]
enum DequeAction {
    Push(u16),
    Pop,
    /// Change the element at a position.
    Change(usize, u16),
    Clear,
}

fn deque_action() -> impl Strategy<Value = DequeAction> {
    prop_oneof![
        8 => any::<u16>().prop_map(DequeAction::Push),
        5 => Just(DequeAction::Pop),
        2 => (0..40_usize, any::<u16>()).prop_map(|(at, element)| DequeAction::Change(at, element)),
        1 => Just(DequeAction::Clear),
    ]
}

fn check_deque(
    mut deque: Deque<'_, u16>,
    limit: usize,
    actions: &[DequeAction],
) -> Result<(), TestCaseError> {
    let mut model = VecDeque::new();
    prop_assert_eq!(deque.limit(), limit);
    for action in actions {
        match *action {
            DequeAction::Push(element) if model.len() < limit => {
                model.push_back(element);
                prop_assert_eq!(deque.push_back(element), Ok(()));
            }
            DequeAction::Push(element) => prop_assert_eq!(deque.push_back(element), Err(element)),
            DequeAction::Pop => prop_assert_eq!(deque.pop_front(), model.pop_front()),
            DequeAction::Change(at, element) => {
                let place = model.get_mut(at);
                prop_assert_eq!(deque.get_mut(at).is_some(), place.is_some());
                if let (Some(ours), Some(place)) = (deque.get_mut(at), place) {
                    (*ours, *place) = (element, element);
                }
            }
            DequeAction::Clear => {
                model.clear();
                deque.clear();
            }
        }
        prop_assert!(deque.iter().eq(&model));
        prop_assert!(deque.iter().rev().eq(model.iter().rev()));
        prop_assert_eq!((deque.front(), deque.back()), (model.front(), model.back()));
        prop_assert_eq!((deque.len(), deque.is_empty()), (model.len(), model.is_empty()));
        prop_assert_eq!(deque.is_full(), model.len() == limit);
    }
    Ok(())
}

proptest! {
    #[test]
    fn a_lent_ring_is_a_queue_with_room_behind_its_end(
        limit in 0..1500_usize,
        actions in prop::collection::vec(ring_action(), 0..60),
    ) {
        let mut memory = vec![0; limit];
        check_ring(Ring::new(Buffer::lent(&mut memory), 0), limit, &actions)?;
    }

    #[cfg(feature = "alloc")]
    #[test]
    fn an_owned_ring_is_a_queue_with_room_behind_its_end(
        limit in 0..1500_usize,
        actions in prop::collection::vec(ring_action(), 0..60),
    ) {
        check_ring(Ring::new(Buffer::growing(), limit), limit, &actions)?;
    }

    #[test]
    fn a_lent_deque_is_a_queue_with_a_limit(
        limit in 0..40_usize,
        actions in prop::collection::vec(deque_action(), 0..200),
    ) {
        let mut memory = vec![0; limit];
        check_deque(Deque::new(Buffer::lent(&mut memory), 0), limit, &actions)?;
    }

    #[cfg(feature = "alloc")]
    #[test]
    fn an_owned_deque_is_a_queue_with_a_limit(
        limit in 0..40_usize,
        actions in prop::collection::vec(deque_action(), 0..200),
    ) {
        check_deque(Deque::new(Buffer::growing(), limit), limit, &actions)?;
    }
}

#[test]
fn an_impossible_extension_counts_in_no_more_than_the_memory() {
    let mut memory = [0; 8];
    let mut ring = Ring::new(Buffer::lent(&mut memory), 0);
    ring.push(b"abc");
    ring.extend(usize::MAX);
    assert_eq!((ring.len(), ring.free()), (8, 0));
}

#[cfg(feature = "alloc")]
#[test]
fn memory_taken_over_from_a_larger_ring_keeps_the_smaller_limit() {
    let mut large = Ring::new(Buffer::growing(), 4000);
    large.push(&[1; 4000]);
    let mut small = Ring::new(large.into_buffer(), 100);
    assert_eq!(small.push(&[2; 200]), 100);
    small.consume(60);
    assert_eq!(small.push(&[3; 200]), 60);
    assert_eq!(small.slices(0, 100).concat(), [[2; 40].as_slice(), &[3; 60]].concat());
}
