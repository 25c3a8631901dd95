//! `ackclock trace`

use crate::failure::Failure;
use crate::judge;
use crate::trace::{self, Format, TraceSettings};
use ackclock_trace::Selection;
use clap::Args;
use std::net::IpAddr;
use std::path::PathBuf;

/// Analyse the TCP connections in a capture (pcap or pcapng): one line for each, or all statistics; the
/// cause of each retransmission.
///
/// Exit status: 0 the capture was read to its end, 1 it was not (the readable part is analysed) or a
/// host violates an RFC (--judge), 2 the command line is wrong, 3 the file cannot be opened.
#[derive(Args, Debug)]
pub(crate) struct Trace {
    /// The capture, or - for standard input
    file: PathBuf,

    /// Print all statistics of each connection
    #[arg(long, short)]
    long: bool,

    /// Explain why each retransmission was sent, and whether it was needed
    #[arg(long, short)]
    explain: bool,

    /// Print one JSON object with everything
    #[arg(long, conflicts_with_all = ["long", "explain"])]
    json: bool,

    /// Write graphs into this file: one self-contained page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Write graphs into this directory as files for xplot, with every point
    #[arg(long, value_name = "DIR")]
    xplot: Option<PathBuf>,

    /// Report which sentences of the RFCs the hosts violate: with certainty for the host that captured, for
    /// others as far as the capture shows
    #[arg(long, conflicts_with_all = ["long", "explain", "json", "html", "xplot", "host", "port", "connection"])]
    judge: bool,

    /// An address of the host that captured, for --judge [default: inferred from the handshakes]
    #[arg(long, value_name = "ADDRESS", requires = "judge")]
    at: Vec<IpAddr>,

    /// Only connections with this address at either end
    #[arg(long, value_name = "ADDRESS")]
    host: Option<IpAddr>,

    /// Only connections with this port at either end
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,

    /// Only these connections, by their numbers
    #[arg(long, short = 'n', value_name = "NUMBER", value_delimiter = ',')]
    connection: Vec<u64>,
}

impl Trace {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        if self.judge {
            return judge::run(&self.file, &self.at);
        }
        trace::run(&self.settings())
    }

    fn settings(&self) -> TraceSettings {
        TraceSettings {
            file: self.file.clone(),
            selection: Selection {
                host: self.host,
                port: self.port,
                connections: self.connection.clone(),
            },
            format: match self.json {
                true => Format::Json,
                false => Format::Text { long: self.long, explain: self.explain },
            },
            html: self.html.clone(),
            xplot: self.xplot.clone(),
        }
    }
}
