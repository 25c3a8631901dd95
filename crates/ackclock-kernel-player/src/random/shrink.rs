//! Makes stories smaller that differ.

use super::draw::Story;
use super::library::script;
use super::sort::kind;
use crate::crew::{Script, play_all};

/// A story that differs, its script and the kind of its difference.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) seed: u64,
    pub(crate) story: Story,
    pub(crate) script: String,
    pub(crate) kind: String,
    /// What differs, for the reader.
    pub(crate) failure: String,
}

/// How the stories go on the kernel: for each that differs what is found.
///
/// # Errors
/// There is no seat.
pub(crate) fn compare(stories: Vec<(u64, Story)>, jobs: usize) -> Result<Vec<Found>, String> {
    let scripted = stories.into_iter().filter_map(|(seed, story)| {
        let text = script(&story)?;
        Some((seed, story, text))
    });
    let scripted: Vec<_> = scripted.collect();
    let scripts: Vec<Script> = scripted
        .iter()
        .map(|(seed, _, text)| Script { name: seed.to_string(), text: text.clone() })
        .collect();
    let outcomes = play_all(&scripts, jobs, |_, _| false)?;
    let mut found = Vec::new();
    for ((seed, story, script), outcome) in scripted.into_iter().zip(outcomes) {
        let played = outcome.map_err(|unplayable| unplayable.0)?;
        if let Some(failure) = played.failure {
            let kind = kind(&script, &failure);
            found.push(Found { seed, story, script, kind, failure: failure.to_string() });
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
            for without in 0..one.story.lines.len() {
                let mut story = one.story.clone();
                let line = story.lines.remove(without);
                if let Some(next) = story.lines.get_mut(without) {
                    next.after = next.after.max(line.after);
                }
                smaller.push((n as u64, story));
            }
        }
        let mut has_shrunk = false;
        for candidate in compare(smaller, jobs)? {
            let one = &mut found[candidate.seed as usize];
            if candidate.kind == one.kind && candidate.story.lines.len() < one.story.lines.len() {
                *one = Found { seed: one.seed, ..candidate };
                has_shrunk = true;
            }
        }
        if !has_shrunk {
            break;
        }
    }
    Ok(found)
}
