//! Every built-in law, chosen at run time without a heap.

/// One of the built-in laws.
#[derive(Clone, Copy, Debug)]
pub enum BuiltIn {}

impl super::CongestionController for BuiltIn {
    fn name(&self) -> &'static str {
        match *self {}
    }
    fn on_start(&mut self, _: &super::Start) {}
    fn on_ack(&mut self, _: &super::Ack) {}
    fn on_congestion(&mut self, _: &super::Congestion) {}
    fn on_mss_change(&mut self, _: u32) {}
    fn window(&self) -> u32 {
        match *self {}
    }
    fn slow_start_threshold(&self) -> u32 {
        match *self {}
    }
}

impl BuiltIn {
    /// Names of all laws, the default first.
    pub const NAMES: &'static [&'static str] = &["reno", "tahoe", "fixed", "bbr"];

    /// The law of that name with its default parameters.
    pub fn by_name(name: &str) -> Option<BuiltIn> {
        let _ = name;
        None
    }
}

impl Default for BuiltIn {
    fn default() -> Self {
        todo!()
    }
}
