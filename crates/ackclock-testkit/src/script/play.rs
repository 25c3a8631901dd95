//! The lines of a script, and the loop that hands them to a player.

use super::icmp::IcmpError;
use super::packet::Packet;
use super::time::When;
use std::fmt;

/// What a line says after its time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step<'a> {
    /// `> SEGMENT`: the stack sends this.
    Sent(Packet),
    /// `< SEGMENT`: the peer sends this.
    Arrives(Packet),
    /// `icmp NAME SEQ [mtu N]`: a router sends this.
    Icmp(IcmpError),
    /// `quiet`: only the time counts.
    Quiet,
    /// Anything else: a setting or a call, which the player knows.
    Call(&'a str),
}

impl<'a> Step<'a> {
    /// The time and the step of a line without comment.
    ///
    /// # Errors
    /// The time or the packet cannot be read.
    pub fn parse(line: &'a str) -> Result<(When, Self), String> {
        let (when, step) = When::split(line)?;
        let step = match (step.strip_prefix('>'), step.strip_prefix('<')) {
            (Some(packet), _) => Step::Sent(packet.parse()?),
            (_, Some(packet)) => Step::Arrives(packet.parse()?),
            _ => match step.split_once(char::is_whitespace) {
                Some(("icmp", error)) => Step::Icmp(error.parse()?),
                None if step == "quiet" => Step::Quiet,
                _ => Step::Call(step),
            },
        };
        Ok((when, step))
    }
}

/// What plays the steps of a script: a stack, and the calls that a script can make to it.
pub trait Player {
    /// Plays one step at its time.
    ///
    /// # Errors
    /// What does not hold.
    fn step(&mut self, when: When, step: &Step<'_>) -> Result<(), String>;

    /// Checks what must hold when the script is over.
    ///
    /// # Errors
    /// What does not hold.
    fn end(&mut self) -> Result<(), String>;

    /// The packets so far, a line for each.
    fn packets(&self) -> &[String];
}

/// Why a script does not hold: the line, what is wrong with it, and every packet up to then.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// Number of the line, from 1; the last line's if the script's end does not hold.
    pub line: usize,
    /// The line.
    pub text: String,
    /// What is wrong.
    pub problem: String,
    /// The packets so far, a line for each.
    pub packets: Vec<String>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure { line, text, problem, packets } = self;
        write!(f, "script line {line}: {text}\n{problem}")?;
        if !packets.is_empty() {
            write!(f, "\npackets so far:\n  {}", packets.join("\n  "))?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}

/// Plays a script, line by line.
///
/// # Errors
/// The first line that cannot be read or does not hold.
pub fn play(script: &str, player: &mut impl Player) -> Result<(), Failure> {
    let failure = |player: &dyn Player, (line, text): (usize, &str), problem| Failure {
        line,
        text: text.into(),
        problem,
        packets: player.packets().to_vec(),
    };
    let mut last = (0, "");
    for (index, line) in script.lines().enumerate() {
        let text = line.split('#').next().unwrap_or_default().trim();
        if text.is_empty() {
            continue;
        }
        last = (index + 1, text);
        let played = Step::parse(text).and_then(|(when, step)| player.step(when, &step));
        played.map_err(|problem| failure(player, last, problem))?;
    }
    player.end().map_err(|problem| failure(player, last, problem))
}
