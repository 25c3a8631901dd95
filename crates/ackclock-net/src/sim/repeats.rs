//! Check whether a run is repeatable, and at which packet it is not.

use ackclock::time::Instant;
use ackclock_emulator::{Event, Observer};
use std::error::Error;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The packets that a run has sent, for the comparison with another run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trail(Vec<(Instant, u64)>);

impl Observer for Trail {
    fn on_event(&mut self, now: Instant, event: &Event<'_>) {
        if let Event::Sent(packet) = event {
            let mut hasher = DefaultHasher::new();
            (packet.link, packet.bytes).hash(&mut hasher);
            self.0.push((now, hasher.finish()));
        }
    }
}

/// Why a run is not known to be repeatable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotRepeated<E> {
    /// It failed.
    Failed(E),
    /// The second run has sent another packet, or at another time: a program depends on something other than the
    /// network ([what breaks it](super#what-breaks-it)).
    Differs {
        /// The first packet that differs, counted from 0.
        packet: usize,
        /// When it was sent in the first run and in the second; `None`: that run had no more packets.
        at: [Option<Instant>; 2],
    },
}

impl<E: fmt::Display> fmt::Display for NotRepeated<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotRepeated::Failed(error) => error.fmt(f),
            NotRepeated::Differs { packet, at } => {
                let [first, second] = at.map(|at| match at {
                    Some(at) => format!("sent at {:.9} s", at.as_nanos() as f64 / 1e9),
                    None => "missing".into(),
                });
                write!(
                    f,
                    "the run does not repeat: packet {packet} is {first}, and {second} in the second run; \
                     look for threads, clocks, random numbers, the order of a HashMap, or select! without \
                     biased"
                )
            }
        }
    }
}

impl<E: Error> Error for NotRepeated<E> {}

/// Runs twice, and compares the packets sent: every byte, the link, and the time.
///
/// ```
/// use ackclock::time::Duration;
/// use ackclock_net::aio::TcpStream;
/// use ackclock_net::sim::{SimError, SimNet, repeats};
///
/// let run = |trail| -> Result<_, SimError> {
///     let mut sim = SimNet::pair("rate=10mbit,delay=10ms", 7, trail)?;
///     sim.host("left", |host| async move {
///         let refused = TcpStream::connect(host.net(), "10.0.0.2:80".parse()?).await;
///         assert!(refused.is_err());
///         Ok(())
///     })?;
///     sim.run(Duration::from_secs(10))?;
///     Ok(sim.into_observer())
/// };
/// assert_eq!(repeats(run).map_err(|error| error.to_string()), Ok(()));
/// ```
///
/// # Errors
/// A run fails, or the second differs from the first.
pub fn repeats<E>(run: impl Fn(Trail) -> Result<Trail, E>) -> Result<(), NotRepeated<E>> {
    let mut trails = [Trail::default(), Trail::default()];
    for trail in &mut trails {
        *trail = run(std::mem::take(trail)).map_err(NotRepeated::Failed)?;
    }
    let [Trail(first), Trail(second)] = trails;
    if first == second {
        return Ok(());
    }
    let alike = first.iter().zip(&second).take_while(|(first, second)| first == second);
    let packet = alike.count();
    let at = [&first, &second].map(|trail| trail.get(packet).map(|(at, _)| *at));
    Err(NotRepeated::Differs { packet, at })
}
