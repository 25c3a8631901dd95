//! temporary
use super::*;
/// temporary
#[derive(Debug, Clone, Copy, Default)]
pub struct BuiltIn {
    w: u32,
    ss: u32,
    mss: u32,
    acked: u32,
}
impl BuiltIn {
    /// t
    pub const NAMES: &'static [&'static str] = &["reno"];
    /// t
    pub fn by_name(_: &str) -> Option<BuiltIn> {
        Some(BuiltIn::default())
    }
}
impl CongestionController for BuiltIn {
    fn name(&self) -> &'static str {
        "reno"
    }
    fn on_start(&mut self, s: &Start) {
        self.w = s.initial_window;
        self.mss = s.mss;
        self.ss = u32::MAX;
    }
    fn on_ack(&mut self, a: &Ack) {
        if a.in_recovery || !a.window_limited {
            return;
        }
        if self.w < self.ss {
            self.w = self
                .w
                .saturating_add(a.bytes_acked.min(2 * self.mss))
                .min(self.ss.max(self.w));
        } else {
            self.acked += a.bytes_acked;
            if self.acked >= self.w {
                self.acked -= self.w;
                self.w += self.mss;
            }
        }
    }
    fn on_congestion(&mut self, c: &Congestion) {
        if c.kind != CongestionKind::RepeatedTimeout {
            self.ss = (c.flight_size / 2).max(2 * self.mss);
        }
        self.w = if c.kind == CongestionKind::FastRetransmit {
            self.ss
        } else {
            self.mss
        };
    }
    fn on_restart_after_idle(&mut self, _: crate::time::Instant, r: u32) {
        self.w = self.w.min(r);
    }
    fn on_mss_change(&mut self, m: u32) {
        self.mss = m;
    }
    fn window(&self) -> u32 {
        self.w
    }
    fn slow_start_threshold(&self) -> u32 {
        self.ss
    }
}
