//! Whole programs in virtual time: that they run, that time is the network's, and that a seed is all that
//! a run depends on.

mod faults;
mod http;
mod repeats;
mod scenario;
mod time;
