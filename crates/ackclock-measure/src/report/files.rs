//! The report as files.

use super::findings::{Findings, VariantFinding};
use super::page::page;
use crate::statistics::Mean;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

impl Findings {
    /// The report as one HTML page that needs nothing else.
    pub fn html(&self) -> String {
        page(self).html()
    }

    /// Writes `report.html`, `report.json`, and as CSV the transfers, variants, hosts and bursts.
    /// Returns the files.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn write(&self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        fs::create_dir_all(directory)?;
        let files = [
            "report.html",
            "report.json",
            "transfers.csv",
            "variants.csv",
            "hosts.csv",
            "bursts.csv",
        ];
        let files = files.map(|name| directory.join(name));
        let [html, json, transfers, variants, hosts, bursts] = &files;
        fs::write(html, self.html())?;
        fs::write(json, serde_json::to_string_pretty(self)? + "\n")?;
        self.write_transfers(transfers)?;
        self.write_variants(variants)?;
        self.write_hosts(hosts)?;
        self.write_bursts(bursts)?;
        Ok(files.to_vec())
    }

    fn write_transfers(&self, file: &Path) -> csv::Result<()> {
        let mut writer = csv::Writer::from_path(file)?;
        writer.write_record([
            "round",
            "host",
            "address",
            "law",
            "initial_window",
            "began_unix_seconds",
            "connect_seconds",
            "seconds",
            "acked_bytes",
            "retransmitted_segments",
            "rtt_min_seconds",
            "rtt_smoothed_seconds",
            "error",
        ])?;
        for it in &self.records {
            writer.write_record([
                it.round.to_string(),
                it.host.clone(),
                text(it.address),
                it.law.clone(),
                it.initial_window.clone(),
                it.began_unix_seconds.to_string(),
                text(it.connect_seconds),
                text(it.seconds),
                it.acked_bytes.to_string(),
                it.retransmitted_segments.to_string(),
                text(it.rtt.map(|rtt| rtt.min_seconds)),
                text(it.rtt.map(|rtt| rtt.smoothed_seconds)),
                text(it.error.as_ref()),
            ])?;
        }
        Ok(writer.flush()?)
    }

    fn write_variants(&self, file: &Path) -> csv::Result<()> {
        let mut writer = csv::Writer::from_path(file)?;
        writer.write_record([
            "law",
            "initial_window",
            "initial_window_segments",
            "transfers",
            "failed",
            "loss_free_share",
            "seconds",
            "seconds_low",
            "seconds_high",
            "time_saved_percent",
            "time_saved_low",
            "time_saved_high",
            "extra_retransmissions",
            "extra_retransmissions_low",
            "extra_retransmissions_high",
            "groups",
        ])?;
        for it in &self.variants {
            let VariantFinding { seconds, time_saved_percent, extra_retransmissions, .. } = it;
            let means = [seconds, time_saved_percent, extra_retransmissions].map(|it| mean(*it));
            let groups = extra_retransmissions.map_or(0, |it| it.count);
            let before = [
                it.law.clone(),
                it.initial_window.clone(),
                it.initial_window_segments.to_string(),
                it.transfers.to_string(),
                it.failed.to_string(),
                text(it.loss_free_share),
            ];
            let record = before.into_iter().chain(means.concat()).chain([groups.to_string()]);
            writer.write_record(record)?;
        }
        Ok(writer.flush()?)
    }

    fn write_hosts(&self, file: &Path) -> csv::Result<()> {
        let mut writer = csv::Writer::from_path(file)?;
        writer.write_record(["host", "address", "rtt_seconds", "hops", "transfers", "failed"])?;
        for it in &self.hosts {
            writer.write_record([
                it.host.clone(),
                text(it.address),
                text(it.rtt_seconds),
                text(it.hops),
                it.transfers.to_string(),
                it.failed.to_string(),
            ])?;
        }
        Ok(writer.flush()?)
    }

    fn write_bursts(&self, file: &Path) -> csv::Result<()> {
        let mut writer = csv::Writer::from_path(file)?;
        writer.write_record([
            "round",
            "began_unix_seconds",
            "host",
            "hop_limit",
            "sent_packets",
            "answered_packets",
            "capacity_packets",
            "verdict",
        ])?;
        for it in &self.bursts {
            writer.write_record([
                it.round.to_string(),
                it.began_unix_seconds.to_string(),
                it.host.clone(),
                it.hop_limit.to_string(),
                it.sent_packets.to_string(),
                it.answered_packets.to_string(),
                text(it.verdict.capacity()),
                it.verdict.word(),
            ])?;
        }
        Ok(writer.flush()?)
    }
}

/// Unknown values are empty.
fn text(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// A mean and both ends of its interval.
fn mean(mean: Option<Mean>) -> [String; 3] {
    let interval = mean.and_then(|it| it.interval);
    let end = |which: usize| text(interval.and_then(|ends| ends.get(which).copied()));
    [text(mean.map(|it| it.mean)), end(0), end(1)]
}
