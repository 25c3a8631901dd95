//! Contenders beside a reference, measured by criterion and in turns.
//!
//! A machine with other work to do is fast in one second and slow in the next, so two figures taken
//! one after the other have no ratio. Here each sample that criterion takes of a contender is
//! followed by one of the reference, and what is told is the median of the ratios of such pairs.

use crate::clock::processor_time;
use crate::report::{self, Ratio, Row, median};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, SamplingMode};
use std::time::Duration;

/// Does something so many times.
pub type Work = Box<dyn FnMut(u64)>;

/// Makes a contender when its turn comes; it is thrown away after that.
pub type Maker = Box<dyn Fn() -> Work>;

/// What is compared.
pub struct Contest {
    /// The benchmark.
    pub bench: &'static str,
    /// What it is run with.
    pub case: String,
    /// What is counted.
    pub unit: &'static str,
    /// How many of them one time is.
    pub units: f64,
    /// Payload bytes of one time; 0 if that has no meaning.
    pub bytes: f64,
    /// The one that the others are compared with.
    pub reference: (&'static str, Work),
    /// The others.
    pub contenders: Vec<(&'static str, Maker)>,
}

fn timed(work: &mut Work, times: u64) -> Duration {
    let begin = processor_time();
    work(times);
    processor_time().saturating_sub(begin)
}

impl Contest {
    /// Measures all and prints what came of it.
    pub fn run(mut self, criterion: &mut Criterion) {
        let mut group = criterion.benchmark_group(format!("{}/{}", self.bench, self.case));
        group.sample_size(20);
        group.sampling_mode(SamplingMode::Flat);
        group.warm_up_time(Duration::from_millis(200));
        group.measurement_time(Duration::from_millis(700));
        let mut rows = Vec::new();
        let mut reference_times = Vec::new();
        for (name, make) in std::mem::take(&mut self.contenders) {
            let pairs = self.measure(&mut group, name, &mut make());
            if pairs.is_empty() {
                // A filter on the command line has left it out.
                continue;
            }
            let times = |who: usize| pairs.iter().map(|pair| pair[who]).collect::<Vec<_>>();
            let (own, reference) = (times(0), times(1));
            // The other way round, since less time is better.
            let ratio = Ratio::of_rounds(self.reference.0, &reference, &own);
            let mut row = self.row(name, own);
            row.ratios.push(ratio);
            rows.push(row);
            reference_times.extend(reference);
        }
        if !reference_times.is_empty() {
            let ratio = Ratio::of_rounds(self.reference.0, &reference_times, &reference_times);
            let mut row = self.row(self.reference.0, reference_times);
            row.ratios.push(ratio);
            rows.push(row);
        }
        group.finish();
        report::print(&rows);
    }

    /// Nanoseconds that a time takes of the contender and, right after it, of the reference.
    fn measure(
        &mut self,
        group: &mut BenchmarkGroup<'_, WallTime>,
        name: &str,
        work: &mut Work,
    ) -> Vec<[f64; 2]> {
        let mut pairs = Vec::new();
        group.bench_function(name, |bencher| {
            bencher.iter_custom(|times| {
                let own = timed(work, times);
                let reference = timed(&mut self.reference.1, times);
                pairs.push([own, reference].map(|time| time.as_nanos() as f64 / times as f64));
                own
            });
        });
        pairs
    }

    fn row(&self, name: &str, times: Vec<f64>) -> Row {
        let mut row = Row::new(self.bench, &self.case, name, self.unit);
        let time = median(times);
        row.ns = Some(time / self.units);
        row.gbit_per_second = (self.bytes > 0.0).then(|| self.bytes * 8.0 / time);
        row
    }
}
