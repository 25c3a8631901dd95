//! Sections 4.2 and 6.2: how large a burst a path takes.

use crate::experiment::{Choice, Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings, Tolerance};
use crate::papers::datagram::{ICMP, address, echo_request, ipv4};
use crate::papers::generator::Sink;
use crate::published;
use crate::sample::{Sample, Samples};
use ackclock::congestion::BuiltIn;
use ackclock::time::Instant;
use ackclock_emulator::{Endpoint, Path, Topology};
use std::net::Ipv4Addr;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "burst_probe",
    paper: Paper::Allman98,
    shows: "sections 4.2 and 6.2, figures 1 and 3",
    title: "bprobe: a burst of 100 echo requests measures the smallest buffer of a path exactly",
    scenario: "A path of 7 gateways, one of which has a slow line behind a small buffer. 100 ICMP \
               echo requests of 512 bytes are sent back to back, with a TTL of one more than the \
               gateways, so that each of these must queue and forward them and the next one answers \
               with time exceeded; how many answers return is the burst capacity.",
    choices: &[
        Choice {
            parameter: "rate",
            value: "64kbit",
            reason: "of the slow line: so slow that no packet leaves it during the burst, which makes \
                     the measured capacity the buffer and the packet in service; a faster line takes \
                     more than its buffer holds",
        },
        Choice {
            parameter: "gateway",
            value: "5",
            reason: "behind which the slow line is; it does not matter",
        },
    ],
    parameters: &[super::stated::BUFFER, super::stated::GATEWAY],
    sends: false,
    headline: &["answers"],
    seconds: Seconds { full: 1.0, quick: 1.0 },
    work: Work::Rust { variants, run, judge },
};

const GATEWAYS: usize = 7;
const PROBES: u16 = 100;
const BUFFERS: [u16; 5] = [5, 15, 31, 64, 200];

fn variant(buffer: u16) -> Variant {
    Variant::new(&[("buffer", &buffer.to_string())], 1)
}

fn variants(_quick: bool) -> Vec<Variant> {
    let mut variants: Vec<_> = BUFFERS.into_iter().map(variant).collect();
    variants.push(variant(31).but("rate", "1.5mbit", 1));
    variants.push(variant(31).but("gateway", "2", 1));
    variants
}

/// Sends the burst, and counts what comes back.
#[derive(Debug)]
struct Prober {
    addresses: [Ipv4Addr; 2],
    /// The TTL of the burst that is not sent yet.
    waiting: Option<u8>,
    answers: u32,
}

/// Where in an IPv4 packet the protocol and the type of an ICMP message stand.
const PROTOCOL: usize = 9;
const TYPE: usize = 20;
/// Type of a time exceeded message (RFC 792).
const TIME_EXCEEDED: u8 = 11;

impl Endpoint for Prober {
    fn on_packet(&mut self, _now: Instant, bytes: &[u8]) {
        let is_answer =
            bytes.get(PROTOCOL) == Some(&ICMP) && bytes.get(TYPE) == Some(&TIME_EXCEEDED);
        self.answers += u32::from(is_answer);
    }

    fn poll(&mut self, _now: Instant, send: &mut dyn FnMut(&[u8])) {
        let Some(hops) = self.waiting.take() else { return };
        for sequence in 0..PROBES {
            // 512 bytes with both headers.
            send(&ipv4(self.addresses, ICMP, hops, &echo_request(sequence, 484)));
        }
    }

    fn poll_at(&self) -> Instant {
        Instant::FAR_FUTURE
    }

    fn is_done(&self) -> bool {
        self.waiting.is_none()
    }
}

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let fast: Path = "rate=10mbit,delay=1ms,loss=0,queue=infinite".parse()?;
    let text = format!("rate={},queue={}", job.word("rate")?, job.word("buffer")?);
    let slow = fast.with(&text)?;
    let gateway: usize = job.get("gateway")?;
    // The hosts' lines, and one behind each gateway; one gateway more, which answers.
    let hops: Vec<_> = (0..GATEWAYS + 2)
        .map(|hop| [if hop == gateway { slow.clone() } else { fast.clone() }, fast.clone()])
        .collect();
    let chain = Topology::chain(&hops);
    let addresses = chain.ends.map(|host| address(&chain.topology, host));
    let mut answers = Vec::new();
    for hops in 1..=GATEWAYS as u8 + 1 {
        let law = |_| BuiltIn::default();
        let mut emulator = job.emulator(&chain.topology, job.seed, law, ())?;
        emulator.occupy(chain.ends[1], Sink);
        emulator.occupy(chain.ends[0], Prober { addresses, waiting: Some(hops), answers: 0 });
        job.run_until(&mut emulator, Instant::from_secs(60))?;
        let prober = emulator.endpoint::<Prober>(chain.ends[0]);
        answers.push(prober.map_or(f64::NAN, |prober| prober.answers.into()));
    }
    let mut sample = Sample::new();
    if let [before @ .., whole] = &answers[..] {
        sample.set("answers", *whole);
        // Up to the gateway whose line is slow, all come back.
        let short = before.iter().take(gateway).all(|answers| *answers == f64::from(PROBES));
        sample.set("all_answer_before", f64::from(u8::from(short)));
    }
    Ok(sample)
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let mut findings = Findings::new();
    for buffer in BUFFERS {
        let expected = f64::from(PROBES.min(buffer + 1));
        findings.push(
            Finding::new(
                format!("answers, buffer of {buffer}"),
                samples.spread(&variant(buffer).name(), "answers")?,
            )
            .paper(published::text("allman98.burst_probe.probe"))
            .tolerance(Tolerance::Exactly(expected))
            .note("the buffer and the packet in service, at most the burst"),
        );
    }
    let before = samples.spread(&variant(31).name(), "all_answer_before")?;
    findings.push(Finding::statement(
        "probes that end before the slow line are all answered",
        before.median == 1.0,
    ));
    findings.note(
        "What figures 1 and 3 show, how the capacity of a real path varied over a day, and that two \
         gateways shared hop 5, needs that network.",
    );
    Ok(findings)
}
