//! A short list of out-of-order ranges, searched linearly.

use super::Ranges;
use crate::seq::SeqRange;
use crate::storage::Buffer;
use core::ops::Range;

/// The ranges: the first `count` elements of `memory`, in sequence order.
#[derive(Debug)]
pub struct ShortList<'a> {
    memory: Buffer<'a, SeqRange>,
    count: u16,
    most: u16,
    /// Place of the range with the most recently received segment; of the highest range if that one is gone.
    recent: u16,
}

impl<'a> Ranges<'a> for ShortList<'a> {
    fn new(memory: Buffer<'a, SeqRange>, most: usize) -> Self {
        let most = if memory.can_grow() { most } else { memory.len() };
        let most = u16::try_from(most).unwrap_or(u16::MAX);
        ShortList { memory, count: 0, most, recent: 0 }
    }

    fn into_memory(self) -> Buffer<'a, SeqRange> {
        self.memory
    }

    fn release(&mut self) {
        if self.is_empty() {
            self.memory.release();
        }
    }

    fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn as_slice(&self) -> &[SeqRange] {
        self.memory.get(..self.count.into()).unwrap_or_default()
    }

    fn recent_first(&self) -> impl Iterator<Item = SeqRange> {
        let all = self.as_slice();
        let recent = usize::from(self.recent);
        (0..all.len()).filter_map(move |n| {
            // First the recent one, then the others from the highest down.
            let place = all.len() - n;
            let place = if n == 0 { recent } else { place - usize::from(place <= recent) };
            all.get(place).copied()
        })
    }

    fn make_place(&mut self) -> bool {
        self.count < self.most
            && (usize::from(self.count) < self.memory.len()
                || self.memory.push(SeqRange::default()).is_ok())
    }

    fn replace(&mut self, places: Range<usize>, new: Option<SeqRange>) {
        let Range { start, end } = places;
        match new {
            Some(new) if start == end => self.insert(start, new),
            Some(new) => {
                if let Some(place) = self.memory.get_mut(start) {
                    *place = new;
                }
                self.remove(start + 1..end);
                self.recent = start as u16;
            }
            None => {
                self.remove(0..end);
                let highest = self.count.saturating_sub(1);
                self.recent = self.recent.checked_sub(end as u16).unwrap_or(highest);
            }
        }
    }
}

impl ShortList<'_> {
    fn insert(&mut self, start: usize, new: SeqRange) {
        self.count += 1;
        self.recent = start as u16;
        let mut carried = new;
        for place in self.memory.iter_mut().take(self.count.into()).skip(start) {
            core::mem::swap(place, &mut carried);
        }
    }

    fn remove(&mut self, places: Range<usize>) {
        let Range { mut start, end } = places;
        for place in end..usize::from(self.count) {
            let Some(&held) = self.memory.get(place) else {
                break;
            };
            if let Some(to) = self.memory.get_mut(start) {
                *to = held;
            }
            start += 1;
        }
        self.count = start as u16;
    }
}
