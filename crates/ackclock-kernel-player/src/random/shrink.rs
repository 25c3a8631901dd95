//! Makes stories smaller that differ.

use super::draw::Story;
use super::library::script;
use super::sort::kind;
use crate::crew::{Script, play_all};

/// A story that the kernel can play, and its script.
#[derive(Clone, Debug)]
pub(crate) struct Scripted {
    pub(crate) seed: u64,
    pub(crate) story: Story,
    pub(crate) script: String,
}

/// A story that differs, and the kind of its difference.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) scripted: Scripted,
    pub(crate) kind: String,
    /// What differs, for the reader.
    pub(crate) failure: String,
}

impl Found {
    /// How many lines the story has.
    pub(crate) fn len(&self) -> usize {
        self.scripted.story.lines.len()
    }
}

/// The scripts of stories, but of those that leave no room for a kernel's timers.
pub(crate) fn scripts(stories: impl IntoIterator<Item = (u64, Story)>) -> Vec<Scripted> {
    let scripted = stories.into_iter().filter_map(|(seed, story)| {
        let script = script(&story)?;
        Some(Scripted { seed, story, script })
    });
    scripted.collect()
}

/// How they go on the kernel: for each that differs what is found.
///
/// # Errors
/// There is no seat.
pub(crate) fn compare(all: Vec<Scripted>, jobs: usize) -> Result<Vec<Found>, String> {
    let named = |one: &Scripted| Script { name: one.seed.to_string(), text: one.script.clone() };
    let scripts: Vec<Script> = all.iter().map(named).collect();
    let outcomes = play_all(&scripts, jobs, |_, played| played.failure.is_none())?;
    let mut found = Vec::new();
    for (scripted, outcome) in all.into_iter().zip(outcomes) {
        let played = outcome.map_err(|unplayable| unplayable.0)?;
        if let Some(failure) = played.failure {
            let kind = kind(&scripted.script, &failure);
            found.push(Found { scripted, kind, failure: failure.to_string() });
        }
    }
    Ok(found)
}

/// The same differences with as few lines as show them.
///
/// # Errors
/// There is no seat.
pub(crate) fn shrink(mut found: Vec<Found>, jobs: usize) -> Result<Vec<Found>, String> {
    for _ in 0..8 {
        let mut smaller = Vec::new();
        for (n, one) in found.iter().enumerate() {
            for without in 0..one.len() {
                let mut story = one.scripted.story.clone();
                let line = story.lines.remove(without);
                if let Some(next) = story.lines.get_mut(without) {
                    next.after = next.after.max(line.after);
                }
                smaller.push((n as u64, story));
            }
        }
        let mut has_shrunk = false;
        for mut candidate in compare(scripts(smaller), jobs)? {
            let one = &mut found[candidate.scripted.seed as usize];
            if candidate.kind == one.kind && candidate.len() < one.len() {
                candidate.scripted.seed = one.scripted.seed;
                *one = candidate;
                has_shrunk = true;
            }
        }
        if !has_shrunk {
            break;
        }
    }
    Ok(found)
}
