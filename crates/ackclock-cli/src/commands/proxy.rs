//! `ackclock proxy`

use crate::failure::Failure;
use crate::options::ReportOptions;
use crate::proxy::{ProxySettings, Socks5, Way};
use crate::values::{parse_bytes, parse_cidr, parse_duration, parse_positive_duration};
use ackclock::stack::Cidr;
use ackclock::time::Duration;
use clap::Args;

/// Forward every TCP connection that the kernel routes into a TUN interface, to a SOCKS5 proxy or, as a
/// connection of this host, to its destination
///
/// If the destination refuses a connection, the client is refused; if the destination does not answer,
/// the client gets no answer; FINs in either direction and resets are passed on.
#[derive(Args, Debug)]
#[group(id = "way", required = true, multiple = false, args = ["to", "direct"])]
pub(crate) struct Proxy {
    /// TUN interface; if it does not exist it is created for this run, which needs root
    #[arg(long, value_name = "NAME")]
    tun: String,
    /// SOCKS5 proxy for the connections: socks5://[USER:PASSWORD@]HOST:PORT
    #[arg(long, value_name = "URL")]
    to: Option<Socks5>,
    /// Connect from this host, by routes that do not lead into the TUN interface
    #[arg(long)]
    direct: bool,
    /// Interface through which connections leave this host, whatever its routes say
    #[arg(long, value_name = "NAME")]
    interface: Option<String>,
    /// Address of this stack with its prefix, which matters only if the interface is created; once for
    /// each family
    #[arg(long, value_name = "CIDR", value_parser = parse_cidr, default_values = ["198.18.0.2/30", "fd98:18::2/64"])]
    address: Vec<Cidr>,
    /// How long to wait for a connection
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = parse_positive_duration)]
    connect_time: Duration,
    /// Maximum number of connections that wait for the destination's answer; beyond it the one that has waited
    /// longest is discarded, and its client retransmits the SYN
    #[arg(long, value_name = "NUMBER", default_value_t = 4096, value_parser = clap::value_parser!(u32).range(1..))]
    requests: u32,
    /// Maximum number of connections at a time; beyond it the one that was idle longest is ended
    #[arg(long, value_name = "NUMBER", default_value_t = 65_536, value_parser = clap::value_parser!(u32).range(1..))]
    max_connections: u32,
    /// Maximum number of bytes in the queues of all connections together
    #[arg(long, value_name = "BYTES", default_value = "1G", value_parser = parse_bytes)]
    memory: u64,
    /// End connections that have transferred no data for this time; 0: never
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = parse_duration)]
    idle_time: Duration,
    #[command(flatten)]
    report: ReportOptions,
}

impl Proxy {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let way = self.to.clone().map_or(Way::Direct, Way::Socks5);
        crate::proxy::run(&ProxySettings {
            tun: self.tun.clone(),
            addresses: self.address.clone(),
            way,
            interface: self.interface.clone(),
            connect_time: self.connect_time,
            requests: self.requests as usize,
            max_connections: self.max_connections as usize,
            memory: self.memory,
            idle_time: Some(self.idle_time).filter(|time| !time.is_zero()),
            interval: self.report.interval,
            json: self.report.json,
        })
    }
}
