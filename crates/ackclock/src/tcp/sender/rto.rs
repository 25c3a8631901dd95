//! placeholder
use crate::tcp::RtoConfig;
use crate::time::Duration;
#[derive(Debug)]
pub(crate) struct Rto {
    c: RtoConfig,
    s8: u64,
    v4: u64,
    n: u64,
    min: u64,
    b: u32,
    base: u64,
}
impl Rto {
    pub(crate) fn new(config: &RtoConfig) -> Self {
        Rto {
            c: *config,
            s8: 0,
            v4: 0,
            n: 0,
            min: u64::MAX,
            b: 0,
            base: config.initial.as_nanos(),
        }
    }
    pub(crate) fn on_sample(&mut self, r: Duration) {
        let r = r.as_nanos() as i64;
        if self.n == 0 {
            self.s8 = r as u64 * 8;
            self.v4 = r as u64 * 2;
        } else {
            let d = r - (self.s8 / 8) as i64;
            self.s8 = (self.s8 as i64 + d) as u64;
            let d = d.abs() - (self.v4 / 4) as i64;
            self.v4 = (self.v4 as i64 + d) as u64;
        }
        self.n += 1;
        self.min = self.min.min(r as u64);
        self.b = 0;
        self.base = (self.s8 / 8 + self.v4.max(1_000_000))
            .clamp(self.c.min.as_nanos(), self.c.max.as_nanos());
    }
    pub(crate) fn on_syn_lost(&mut self) {
        self.base = 3_000_000_000;
        self.b = 0;
    }
    pub(crate) fn back_off(&mut self) {
        self.b += 1;
    }
    pub(crate) fn timeout(&self) -> Duration {
        Duration::from_nanos(
            self.base
                .saturating_mul(1 << self.b.min(30))
                .min(self.c.max.as_nanos()),
        )
    }
    pub(crate) fn backoff(&self) -> u32 {
        self.b
    }
    pub(crate) fn samples(&self) -> u64 {
        self.n
    }
    pub(crate) fn smoothed_rtt(&self) -> Duration {
        Duration::from_nanos(self.s8 / 8)
    }
    pub(crate) fn min_rtt(&self) -> Duration {
        Duration::from_nanos(self.min)
    }
    pub(crate) fn deviation(&self) -> Duration {
        Duration::from_nanos(self.v4 / 4)
    }
}
