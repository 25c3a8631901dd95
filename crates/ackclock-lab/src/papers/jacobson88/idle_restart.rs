//! Appendix C: what a conversation does that was idle.

use super::senders;
use crate::experiment::{Choice, Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings, Tolerance};
use crate::papers::flows::{FIRST_PORT, ethernet, seconds};
use crate::papers::segments::{SegmentLog, sequence_plot};
use crate::published;
use crate::sample::{Sample, Samples};
use ackclock::apps::{Amount, Burst, Recorded, Server, Service, Source, SourceConfig};
use ackclock::stack::ListenConfig;
use ackclock::storage::Buffer;
use ackclock::tcp::AckPolicy;
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Path, Topology};
use std::net::SocketAddr;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "idle_restart",
    paper: Paper::Jacobson88,
    shows: "appendix C",
    title: "after an idle time: the old window in one burst, or slow start",
    scenario: "A conversation over a slow line that opened its window with some data, then \
               exchanged a few small packets stop-and-wait, as SMTP and NNTP negotiate, and then \
               sends 16 kB. Without the rule the whole old window goes out at once, faster than the \
               timer can follow; with it the conversation starts with one packet when nothing has \
               been sent for an rto, or for a round trip. Nothing is lost on the line itself.",
    choices: &[
        Choice { parameter: "line", value: "9600bit", reason: "a SLIP line of the time" },
        Choice {
            parameter: "buffer",
            value: "6",
            reason: "packets before the slow line: terminal servers had few, and a burst of the old \
                     window must not fit",
        },
        Choice {
            parameter: "new_timer",
            value: "jacobson88:ticks=500ms/3:one",
            reason: "appendix A with BSD's ticks, at least three: its first measurement counts from \
                     one on",
        },
        Choice {
            parameter: "exchanges",
            value: "12",
            reason: "of 40 bytes, 2 s apart: what a mail's envelope takes",
        },
    ],
    parameters: &[super::stated::RESTART],
    sends: true,
    headline: &["retransmissions", "seconds"],
    seconds: Seconds { full: 2.0, quick: 1.0 },
    work: Work::Rust { variants, run, judge },
};

const RULES: [&str; 3] = ["never", "jacobson88:rto", "jacobson88:rtt"];

fn variant(rule: &str, seeds: u64) -> Variant {
    Variant::new(&[("restart", rule)], seeds)
}

fn variants(quick: bool) -> Vec<Variant> {
    let seeds = if quick { 3 } else { 10 };
    let mut variants = Vec::new();
    for rule in RULES {
        let base = variant(rule, seeds);
        for (parameter, value) in [
            ("line", "2400bit"),
            ("line", "56kbit"),
            ("buffer", "infinite"),
            ("new_timer", "jacobson88:ticks:one"),
            ("exchanges", "4"),
        ] {
            variants.push(base.but(parameter, value, seeds));
        }
        variants.push(base);
    }
    variants
}

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let (rate, buffer) = (job.word("line")?, job.word("buffer")?);
    let line: Path = format!("rate={rate},delay=20ms,loss=0,queue={buffer}").parse()?;
    let chain = Topology::chain(&[ethernet()?, [line.clone(), line]]);
    let (law, mut settings) = senders::new(job)?;
    settings.restart_after_idle = job.get("restart")?;
    settings.ack_policy = AckPolicy::EverySegment;
    let settings = job.settings(settings);
    // Four packets open the window without overflowing the buffer.
    let open = Burst { pause: Duration::ZERO, amount: Amount::Bytes(4 * 512) };
    let again = Burst { pause: Duration::from_secs(2), ..open };
    let exchange = Burst { pause: Duration::from_secs(2), amount: Amount::Bytes(40) };
    let mail = Burst { pause: Duration::from_secs(2), amount: Amount::Bytes(16_384) };
    let exchanges: usize = job.get("exchanges")?;
    let bursts = [open, again, again].into_iter().chain(std::iter::repeat_n(exchange, exchanges));
    let bursts = Recorded::new(bursts.chain([mail]), Buffer::growing());
    let [from, to] = chain.ends;
    let log = SegmentLog::new([from]);
    let mut emulator = job.emulator(&chain.topology, job.seed, |_| law, log)?;
    let remote = SocketAddr::new(chain.topology.addresses(to)[0], FIRST_PORT);
    let mut listen = ListenConfig::new(remote);
    listen.connection = settings;
    let server = Server::new(Service::Discard, listen, Buffer::growing()).once();
    emulator.add_application(to, server)?;
    let mut source = SourceConfig::new(remote);
    source.connection = settings;
    let source = emulator.add_application(from, Source::with_schedule(source, bursts))?;
    emulator.run_until_done(Instant::from_secs(3600));
    job.go_on()?;
    let source = emulator.application(source);
    let mail = source.and_then(|source| source.schedule().completed().last().copied());
    let mail = mail.ok_or_else(|| Stop::Failed("the mail was not sent".to_owned()))?;
    let log = &emulator.observer().0;
    let sent = log.conversation(0).into_iter().flat_map(|each| &each.sent);
    let of_mail: Vec<_> = sent.filter(|sent| sent.at >= mail.began).collect();
    let mut sample = Sample::new();
    sample.set("seconds", seconds(mail.latency()));
    sample.set("retransmissions", of_mail.iter().filter(|sent| sent.again).count() as f64);
    let at_once = of_mail.iter().take_while(|sent| sent.at == mail.began).count();
    sample.set("first_burst", at_once as f64);
    if job.draws() {
        let title = format!("restart {}", job.word("restart")?);
        let all = log.conversations();
        sample.draw(sequence_plot("sequence", &title, all, mail.ended));
    }
    Ok(sample)
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let mut findings = Findings::new();
    let of = |rule: &str, quantity: &str| samples.spread(&variant(rule, 1).name(), quantity);
    let rule = published::text("jacobson88.idle_restart.rule");
    for (word, name) in [("never", "off"), ("jacobson88:rto", "rto"), ("jacobson88:rtt", "rtt")] {
        let mut finding = Finding::new(
            format!("packets sent at once after idle, restart {name}"),
            of(word, "first_burst")?,
        )
        .paper(rule.clone());
        finding = match word {
            "never" => finding.note("what is without the rule: no number is printed"),
            _ => finding.tolerance(Tolerance::Exactly(1.0)),
        };
        findings.push(finding);
        findings.push(Finding::new(
            format!("retransmissions of the 16 kB, restart {name}"),
            of(word, "retransmissions")?,
        ));
        findings
            .push(Finding::new(format!("s for the 16 kB, restart {name}"), of(word, "seconds")?));
    }
    let fewer =
        of("jacobson88:rto", "retransmissions")?.median < of("never", "retransmissions")?.median;
    findings.push(
        Finding::statement("restarting with one packet saves retransmissions", fewer)
            .paper("slow start also prevents this problem"),
    );
    Ok(findings)
}
