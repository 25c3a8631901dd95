//! Parts of reports that several subcommands share: text for people, JSON for programs.

mod info;
mod interval;
mod json;
mod link;
mod output;
mod processor;
mod text;
mod units;

pub(crate) use info::InfoReport;
pub(crate) use interval::{Interval, Sample};
pub(crate) use json::{IntervalReport, SCHEMA, write_object};
pub(crate) use link::{LinkReport, waits};
pub(crate) use output::{StandardOutput, print, stdout};
pub(crate) use processor::{ProcessorReport, processor_time};
pub(crate) use text::{
    ALL, INTERVAL_HEADER, TOTALS_HEADER, interval_line, limit_words, receiver_line, sender_line,
};
pub(crate) use units::{bits_per_second, bytes, milliseconds, rate, seconds};
