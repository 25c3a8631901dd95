//! The predicted road of a connection does exactly what its general one does: two ends, each twice,
//! one of which asks the predicted road first, are told the same and say the same.

use super::two_ends::random_config;
use super::*;
use crate::tcp::predicted::Turn;
use crate::test_random::Random;
use crate::wire::PredictedSegment;
use proptest::prelude::*;
use std::collections::VecDeque;
use std::string::String;
use std::vec;

/// What one end sends: header, codepoint and payload.
type Said = (Header, Ecn, Vec<u8>);

/// A connection that takes one of the two roads.
struct Traveller {
    connection: Connection<'static, BuiltIn>,
    asks_prediction: bool,
    /// How many segments went the predicted road, in either direction.
    predicted: u32,
}

impl Traveller {
    /// What it sends now, at most so many segments.
    fn say(&mut self, now: Instant, most: usize) -> Vec<Said> {
        let mut said = vec![];
        while said.len() < most {
            if self.asks_prediction {
                match self.connection.predicted_turn(now) {
                    Turn::Silent => break,
                    Turn::Other => {}
                    Turn::Predicted(turn) => {
                        self.predicted += 1;
                        let timestamps = turn.timestamps;
                        let header = Header {
                            seq: turn.seq,
                            ack: turn.ack,
                            flags: turn.flags,
                            window: turn.window_field,
                            options: Options { timestamps, ..Options::default() },
                            ..Header::default()
                        };
                        let payload = self.connection.predicted_payload(&turn).concat();
                        said.push((header, turn.ecn, payload));
                        if self.connection.on_predicted_sent(now, &turn) {
                            assert!(self.connection.poll_transmit(now, 0).is_none(), "said all");
                        }
                        continue;
                    }
                }
            }
            let Some(outgoing) = self.connection.poll_transmit(now, 0) else { break };
            let payload = self.connection.payload(&outgoing).concat();
            self.connection.on_transmitted(now, &outgoing);
            said.push((outgoing.header, outgoing.ecn, payload));
            if self.asks_prediction {
                self.repeat(now, &outgoing, most, &mut said);
            }
        }
        said
    }

    /// Sends those segments that may follow `outgoing` as they are.
    fn repeat(&mut self, now: Instant, outgoing: &Outgoing, most: usize, said: &mut Vec<Said>) {
        let mut left = self.connection.repeats(now, outgoing);
        while left > 0 && said.len() < most {
            let (seq, payload) = self.connection.repeated();
            said.push((Header { seq, ..outgoing.header }, outgoing.ecn, payload.concat()));
            self.predicted += 1;
            left = if self.connection.on_repeated(now) { left - 1 } else { 0 };
        }
    }

    fn hear(&mut self, now: Instant, segment: &Segment<'_>) -> Option<Verdict> {
        // The room's door is closed to connections that count marks.
        if self.asks_prediction
            && !self.connection.is_accurate()
            && let Some(predicted) = PredictedSegment::of(segment)
            && self.connection.on_predicted(now, &predicted)
        {
            self.predicted += 1;
            return Some(Verdict::Done);
        }
        Some(self.connection.on_segment(now, segment))
    }
}

/// One end, once for each road.
struct Twin([Traveller; 2]);

impl Twin {
    fn new(random: &mut Random, now: Instant) -> Twin {
        let mut config = Config { mss: None, ..random_config(random) };
        if !random.one_in(4) {
            // Else most would count marks, and have nothing predicted.
            config.ecn = EcnMode::Request;
        }
        if random.one_in(8) {
            (config.mtu_probing, config.base_mss) = (MtuProbing::Always, 700);
        }
        let laws = ["reno", "cubic", "bbr", "veno", "tahoe", "fixed:3", "none"];
        let law: BuiltIn = random.pick(&laws).parse().expect("a law");
        let open = Open {
            iss: SeqNumber(random.below(u32::MAX)),
            timestamp_offset: random.below(u32::MAX),
            mtu: 1_500,
            ip_header: random.pick(&[20, 40]) as u8,
            random: 7,
            clock_phase: random.below(u32::MAX),
        };
        Twin([true, false].map(|asks_prediction| Traveller {
            connection: Connection::connect(now, &config, law, buffers(), &open),
            asks_prediction,
            predicted: 0,
        }))
    }

    /// Has both do the same; they must answer alike.
    fn both<T: PartialEq + core::fmt::Debug>(
        &mut self,
        what: &str,
        act: impl Fn(&mut Traveller) -> T,
    ) -> Result<T, TestCaseError> {
        let [predicted, general] = &mut self.0;
        let (one, other) = (act(predicted), act(general));
        prop_assert_eq!(&one, &other, "{}", what);
        Ok(other)
    }

    fn compare(&mut self, now: Instant) -> Result<(), TestCaseError> {
        self.both("info", |end| end.connection.info(now))?;
        self.both("readiness", |end| end.connection.readiness())?;
        self.both("deadline", |end| end.connection.poll_timeout())?;
        Ok(())
    }
}

/// One run; gives how many segments were predicted.
fn run(seed: u64, steps: u32) -> Result<u32, TestCaseError> {
    let mut random = Random(seed | 1);
    let mut now = Instant::from_secs(1_000);
    let mut ends = [Twin::new(&mut random, now), Twin::new(&mut random, now)];
    let mut path: [VecDeque<Said>; 2] = Default::default();
    for step in 0..steps {
        // The handshake comes first.
        let opens = step < 16;
        let at = if opens { step as usize / 2 % 2 } else { random.below(2) as usize };
        let amount = random.pick(&[1, 40, 1_448, 5_000]) as usize;
        let end = &mut ends[at];
        match if opens { 4 + 5 * (step % 2) } else { random.below(16) } {
            0 | 1 => {
                let data = vec![step as u8; amount];
                let _ = end.both("send", |end| end.connection.send(now, &data))?;
            }
            2 | 3 => {
                let _ = end.both("receive", |end| {
                    let mut to = vec![0; amount];
                    let taken = end.connection.receive(&mut to);
                    (taken, to)
                })?;
            }
            4..=8 => {
                let most = 1 + random.below(6) as usize;
                let said = end.both("segments", |end| end.say(now, most))?;
                path[1 - at].extend(said);
            }
            9..=12 => hear(end, &mut path[at], &mut random, now)?,
            13 => now += Duration::from_micros(u64::from(random.below(400_000))),
            14 => {
                now = now.max(end.0[1].connection.poll_timeout().min(now + Duration::from_secs(9)));
                end.both("timers", |end| end.connection.on_timeout(now))?;
            }
            _ => match random.below(12) {
                0 => drop(end.both("shutdown", |end| end.connection.shutdown(now))?),
                1 => drop(end.both("urgent", |end| end.connection.send_urgent(now, b"!"))?),
                2 => drop(end.both("cork", |end| end.connection.set_cork(now, step % 2 == 0))?),
                3 => drop(end.both("push", |end| end.connection.push(now))?),
                _ => {
                    let nagle = Nagle::ALL[step as usize % 3];
                    end.both("nagle", |end| end.connection.set_nagle(nagle))?;
                }
            },
        }
        for end in &mut ends {
            end.compare(now)?;
        }
    }
    Ok(ends.iter().map(|end| end.0[0].predicted).sum())
}

/// A segment arrives, or is lost, doubled, overtaken or marked.
fn hear(
    end: &mut Twin,
    path: &mut VecDeque<Said>,
    random: &mut Random,
    now: Instant,
) -> Result<(), TestCaseError> {
    let Some((mut header, mut ecn, payload)) = path.pop_front() else {
        return Ok(());
    };
    match random.below(80) {
        0 => return Ok(()),
        1 => path.push_back((header, ecn, payload.clone())),
        2 => {
            path.push_back((header, ecn, payload));
            return Ok(());
        }
        3 => ecn = Ecn::Ce,
        4 => header.ack += misplacement(random),
        5 => header.seq += misplacement(random),
        6 => header.window = random.below(9) as u16,
        _ => {}
    }
    let [source, destination] = [1, 2].map(|last| Ipv4Addr::new(10, 0, 0, last).into());
    let ip = IpInfo { source, destination, hop_limit: 64, dscp: 0, ecn };
    let segment = Segment { ip, header, payload: &payload };
    end.both("verdict", |end| end.hear(now, &segment))?;
    Ok(())
}

/// By how much a number is wrong: often by one, since a comparison that is wrong is so at its edge.
fn misplacement(random: &mut Random) -> u32 {
    match random.below(4) {
        0 => 1,
        1 => 1_u32.wrapping_neg(),
        _ => random.below(3_000),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn the_predicted_road_is_the_general_one(seed in any::<u64>(), steps in 1_u32..300) {
        run(seed, steps)?;
    }
}

/// The comparison says something only if the predicted road is taken.
#[test]
fn many_segments_are_predicted() {
    let count = |seed| run(seed, 600).map_err(|error| std::format!("{error}"));
    let counts: Vec<Result<u32, String>> = (1..60).map(|seed| count(seed * 0x9e37_79b9)).collect();
    let taken = counts.iter().flatten().filter(|count| **count > 20).count();
    assert!(taken >= 20, "{counts:?}");
}
