//! hyper's server and client over a TUN device, and the same functions in virtual time:
//!
//! ```console
//! $ cargo run -p ackclock-programs --bin hyper -- serve --tun tun0
//! $ cargo run -p ackclock-programs --bin hyper -- get --tun tun0 http://10.7.0.1:8000/
//! $ cargo run --release -p ackclock-programs --bin hyper -- sim --seeds 1000
//! ```
#![forbid(unsafe_code)]

use ackclock::stack::Cidr;
use ackclock_host::tun::{Offload, Tun};
use ackclock_net::sim::HostError;
use ackclock_net::{Net, NetConfig};
use ackclock_programs::http::client::{Client, Patience};
use ackclock_programs::http::service::{Shop, serve};
use ackclock_programs::http::sim::{Digest, Run};
use clap::{Args, Parser};
use hyper::Uri;
use std::io::Write;
use std::net::{IpAddr, SocketAddr};

/// HTTP by hyper over ackclock's sockets.
#[derive(Parser)]
enum Command {
    /// Answers requests; POST takes orders at /orders.
    Serve {
        #[command(flatten)]
        network: Network,
        #[arg(long, default_value_t = 80)]
        port: u16,
    },
    /// Prints a page, such as http://10.7.0.1:8000/.
    Get {
        #[command(flatten)]
        network: Network,
        url: Uri,
    },
    /// Runs a server and a client over 200 ms and 2 % loss, twice for each seed.
    Sim {
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// So many seeds from this one on.
        #[arg(long, default_value_t = 1)]
        seeds: u64,
    },
}

#[derive(Args)]
struct Network {
    /// The TUN device.
    #[arg(long)]
    tun: String,
    /// The address of this program.
    #[arg(long, default_value = "10.7.0.2/24")]
    address: Cidr,
}

impl Network {
    fn open(&self) -> Result<Net, HostError> {
        let tun = Tun::open_with(&self.tun.parse()?, Offload::Auto)?;
        Ok(Net::over(tun, &NetConfig::new([self.address]))?)
    }
}

fn main() -> Result<(), HostError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    match Command::parse() {
        Command::Serve { network, port } => {
            let at = SocketAddr::new(network.address.address, port);
            let net = network.open()?;
            match runtime.block_on(serve(&net, at, Shop::default()))? {}
        }
        Command::Get { network, url } => runtime.block_on(get(&network.open()?, &url)),
        Command::Sim { seed, seeds } => sim(seed, seeds),
    }
}

async fn get(net: &Net, url: &Uri) -> Result<(), HostError> {
    let host = url.host().ok_or("name a URL, such as http://10.7.0.1:8000/")?;
    let address: IpAddr = host.trim_matches(['[', ']']).parse()?;
    let server = SocketAddr::new(address, url.port_u16().unwrap_or(80));
    let path = url.path_and_query().map_or("/", |it| it.as_str());
    let page = Client::new(net, server, Patience::default()).get(path).await?;
    Ok(std::io::stdout().write_all(page.body())?)
}

fn sim(seed: u64, seeds: u64) -> Result<(), HostError> {
    let (begin, mut digest) = (std::time::Instant::now(), Digest::default());
    for seed in seed..seed + seeds {
        let capture = Run::far_and_lossy(seed).capture()?;
        if Run::far_and_lossy(seed).capture()? != capture {
            return Err(format!("seed {seed} does not repeat: the captures differ").into());
        }
        digest = digest.and(&capture);
    }
    let (runs, seconds) = (2 * seeds, begin.elapsed().as_secs_f64());
    println!("{runs} runs of {seeds} seeds, each repeated: {seconds:.1} s, digest {digest}");
    Ok(())
}
