//! The shop and its clients in virtual time: the requests, the faults, and the properties to check.

use super::client::{Client, Patience};
use super::pattern;
use super::service::{Answers, Shop, serve};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Observer, PcapNgCapture, Topology};
use ackclock_net::sim::{Fault, HostError, Outcome, SimError, SimNet};
use hyper::StatusCode;
use hyper::body::Bytes;
use std::fmt;
use std::sync::{Arc, Mutex};

const SERVER: &str = "10.0.0.2:80";

/// Longer than the timeouts of all requests of a client.
const LIMIT: Duration = Duration::from_secs(3600);

/// A round trip of 200 ms, and 2 % loss each way.
pub const FAR_AND_LOSSY: &str = "rate=10mbit,delay=100ms,loss=2%,queue=50";

/// A request of a client.
#[derive(Clone, Copy, Debug)]
pub enum Job {
    /// A page of this many bytes.
    Get(usize),
    /// An order of this many bytes.
    Order(usize),
}

/// A fault, and its time in milliseconds.
#[derive(Clone, Copy, Debug)]
pub enum Trouble {
    /// Both directions are cut at the first time and heal after the second.
    Cut(u64, u64),
    /// The server's program ends.
    Stop(u64),
    /// The server is switched off.
    SwitchOff(u64),
}

/// A run: everything that it depends on.
#[derive(Clone, Debug)]
pub struct Run {
    /// The path, each way.
    pub path: String,
    /// Where its chance comes from.
    pub seed: u64,
    /// The requests of the client, one after the other on one connection.
    pub jobs: Vec<Job>,
    /// The faults.
    pub troubles: Vec<Trouble>,
}

impl Run {
    /// Pages and orders over [`FAR_AND_LOSSY`], with nothing else wrong.
    pub fn far_and_lossy(seed: u64) -> Self {
        let jobs = [Job::Get(20_000), Job::Order(2_000), Job::Order(30_000), Job::Get(1_000)];
        Run { path: FAR_AND_LOSSY.into(), seed, jobs: jobs.into(), troubles: Vec::new() }
    }

    /// Whether all can be answered: the server stays.
    fn server_stays(&self) -> bool {
        self.troubles.iter().all(|trouble| matches!(trouble, Trouble::Cut(..)))
    }

    /// Runs against a correct shop, checks what must hold, and returns the capture.
    ///
    /// # Errors
    /// It does not hold, or cannot be run.
    pub fn capture(&self) -> Result<Vec<u8>, HostError> {
        let path = || self.path.parse();
        let topology = Topology::pair([path()?, path()?]);
        let capture = PcapNgCapture::new(&topology, Vec::new())?;
        let shop = Shop::default();
        let (report, capture) = self.over(shop.clone(), capture)?;
        report.check(self, &shop)?;
        Ok(capture.finish()?)
    }

    /// Runs with this at the server's side.
    ///
    /// # Errors
    /// The path is not one.
    pub fn over<O: Observer>(
        &self,
        answers: impl Answers,
        observer: O,
    ) -> Result<(Report, O), SimError> {
        let mut sim = SimNet::pair(&self.path, self.seed, observer)?;
        self.plan(&mut sim)?;
        sim.service("right", |host| async move {
            match serve(host.net(), SERVER.parse()?, answers).await? {}
        })?;
        let (jobs, said) = (self.jobs.clone(), Said::default());
        let tell = Arc::clone(&said);
        sim.host("left", |host| async move {
            let mut client = Client::new(host.net(), SERVER.parse()?, Patience::default());
            for (number, &job) in jobs.iter().enumerate() {
                let answered = ask(&mut client, number, job).await;
                tell.lock().map_err(|_| "a panic")?.push(answered);
            }
            Ok(())
        })?;
        let is_done = sim.run(LIMIT)? == Outcome::Done;
        sim.settle(Duration::from_secs(1));
        let answers = std::mem::take(&mut *said.lock().unwrap_or_else(|it| it.into_inner()));
        Ok((Report { is_done, answers }, sim.into_observer()))
    }

    fn plan<O: Observer>(&self, sim: &mut SimNet<O>) -> Result<(), SimError> {
        let links: Vec<_> = sim.topology().links().collect();
        let server =
            sim.topology().hosts().nth(1).ok_or_else(|| SimError::NoHost("right".into()))?;
        for trouble in &self.troubles {
            match *trouble {
                Trouble::Cut(at, lasts) => {
                    let cut = format!("{},loss=100%", without_loss(&self.path)).parse()?;
                    for &link in &links {
                        sim.at(Instant::from_millis(at), Fault::Path(link, Clone::clone(&cut)));
                        let healed = Fault::Path(link, self.path.parse()?);
                        sim.at(Instant::from_millis(at + lasts), healed);
                    }
                }
                Trouble::Stop(at) => sim.at(Instant::from_millis(at), Fault::Stop(server)),
                Trouble::SwitchOff(at) => {
                    sim.at(Instant::from_millis(at), Fault::SwitchOff(server))
                }
            }
        }
        Ok(())
    }
}

fn without_loss(path: &str) -> String {
    let words = path.split(',').filter(|word| !word.starts_with("loss="));
    words.collect::<Vec<_>>().join(",")
}

/// Sends a request, and returns status and body, or the error.
async fn ask(client: &mut Client, number: usize, job: Job) -> Answered {
    let answer = match job {
        Job::Get(length) => client.get(&format!("/pattern/{length}")).await,
        Job::Order(length) => {
            client.order(&format!("order {number}"), pattern(number, length).into()).await
        }
    };
    answer.map(|answer| (answer.status(), answer.into_body())).map_err(|error| error.to_string())
}

type Answered = Result<(StatusCode, Bytes), String>;
type Said = Arc<Mutex<Vec<Answered>>>;

/// The answer to a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Whether the client has come to its end.
    is_done: bool,
    answers: Vec<Answered>,
}

impl Report {
    /// Checks the properties: every request gets the right answer, and every order is accepted once;
    /// where the server is gone, there may be an error, and the order not taken.
    ///
    /// # Errors
    /// What does not hold.
    pub fn check(&self, run: &Run, shop: &Shop) -> Result<(), Wrong> {
        if !self.is_done {
            return Err(Wrong::NoEnd);
        }
        let orders = shop.orders();
        for (number, (job, answer)) in run.jobs.iter().zip(&self.answers).enumerate() {
            match (job, answer) {
                (_, Err(error)) if run.server_stays() => {
                    return Err(Wrong::Unanswered(number, error.clone()));
                }
                (Job::Get(length), Ok(answer)) => {
                    let page = (StatusCode::OK, pattern(0, *length).into());
                    check(*answer == page, Wrong::Answer(number))?;
                }
                (Job::Get(_), Err(_)) => {}
                (Job::Order(length), answer) => {
                    let order = pattern(number, *length);
                    let taken = orders.iter().filter(|it| **it == order).count();
                    check(taken <= 1, Wrong::TakenAgain(number, taken))?;
                    if let Ok((status, body)) = answer {
                        let place = orders.iter().position(|it| **it == order);
                        let place = place.ok_or(Wrong::NotTaken(number))?;
                        let is_right = *status == StatusCode::CREATED && *body == place.to_string();
                        check(is_right, Wrong::Answer(number))?;
                    }
                }
            }
        }
        Ok(())
    }
}

fn check(holds: bool, wrong: Wrong) -> Result<(), Wrong> {
    if holds { Ok(()) } else { Err(wrong) }
}

/// What must not be; requests are counted from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// The client has not come to its end.
    NoEnd,
    /// The server is there, and this request has no answer.
    Unanswered(usize, String),
    /// This request has another answer than it should.
    Answer(usize),
    /// This order was confirmed and not taken.
    NotTaken(usize),
    /// This order was accepted this many times.
    TakenAgain(usize, usize),
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Wrong::NoEnd => f.write_str("the client waits for ever"),
            Wrong::Unanswered(number, why) => write!(f, "request {number} failed: {why}"),
            Wrong::Answer(number) => write!(f, "request {number} was answered with something else"),
            Wrong::NotTaken(number) => write!(f, "order {number} was confirmed and not taken"),
            Wrong::TakenAgain(number, times) => write!(f, "order {number} was taken {times} times"),
        }
    }
}

impl std::error::Error for Wrong {}

/// The digest of captures (FNV-1a), begun with [`Digest::default`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Digest(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    /// Adds this to the digest.
    #[must_use]
    pub fn and(self, bytes: &[u8]) -> Self {
        let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        Digest(bytes.iter().fold(self.0, step))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}
