//! A port forwarder between a network of ours over a TUN device and this host's:
//!
//! ```console
//! $ cargo run -p ackclock-programs --bin forward -- --tun tun0 --in 10.7.0.2:80=127.0.0.1:8000
//! $ cargo run -p ackclock-programs --bin forward -- --tun tun0 --out 127.0.0.1:8080=10.7.0.1:80
//! ```
#![forbid(unsafe_code)]

use ackclock::stack::Cidr;
use ackclock_net::Net;
use ackclock_net::aio::{TcpListener, TcpStream};
use ackclock_net::relay::{Carried, relay};
use ackclock_net::sim::HostError;
use ackclock_programs::over_tun;
use clap::Parser;
use std::io;
use std::net::SocketAddr;
use std::str::FromStr;
use tokio::net;
use tokio::task::JoinSet;

/// Forwards ports between a TUN device and this host.
#[derive(Parser)]
struct Program {
    #[arg(long)]
    tun: String,
    /// The address of this program.
    #[arg(long, default_value = "10.7.0.2/24")]
    address: Cidr,
    /// From a port of our address to one that this host reaches: OURS=TARGET.
    #[arg(long = "in")]
    inward: Vec<Forward>,
    /// From a port of this host to one that the network reaches: HOSTS=TARGET.
    #[arg(long = "out")]
    outward: Vec<Forward>,
}

#[derive(Clone, Copy)]
struct Forward {
    at: SocketAddr,
    target: SocketAddr,
}

impl FromStr for Forward {
    type Err = HostError;

    fn from_str(text: &str) -> Result<Self, HostError> {
        let (at, target) = text.split_once('=').ok_or("name both ends: IP:PORT=IP:PORT")?;
        Ok(Forward { at: at.parse()?, target: target.parse()? })
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), HostError> {
    let Program { tun, address, inward, outward } = Program::parse();
    let forward = async |net: &Net| {
        let mut all = JoinSet::new();
        inward.into_iter().for_each(|each| drop(all.spawn(let_in(net.clone(), each))));
        outward.into_iter().for_each(|each| drop(all.spawn(let_out(net.clone(), each))));
        // The first that ends has failed.
        let ended = all.join_next().await.ok_or("name something to forward: --in or --out")?;
        Ok(ended??)
    };
    over_tun(&tun, address, forward).await
}

async fn let_in(net: Net, Forward { at, target }: Forward) -> io::Result<()> {
    let listener = TcpListener::bind(&net, at)?;
    loop {
        let (inside, peer) = listener.accept().await?;
        tokio::spawn(async move {
            let outside = net::TcpStream::connect(target).await;
            if outside.is_err() {
                inside.set_reset_on_drop(true);
            }
            tell(peer, target, relay(inside, outside?, &Carried::default()).await)
        });
    }
}

async fn let_out(net: Net, Forward { at, target }: Forward) -> io::Result<()> {
    let listener = net::TcpListener::bind(at).await?;
    loop {
        let ((outside, peer), net) = (listener.accept().await?, net.clone());
        tokio::spawn(async move {
            let inside = TcpStream::connect(&net, target).await;
            if inside.is_err() {
                outside.set_zero_linger()?;
            }
            tell(peer, target, relay(inside?, outside, &Carried::default()).await)
        });
    }
}

fn tell(peer: SocketAddr, target: SocketAddr, done: io::Result<()>) -> io::Result<()> {
    done.inspect_err(|error| eprintln!("{peer} to {target}: {error}"))
}
