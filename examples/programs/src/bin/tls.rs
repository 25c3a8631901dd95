//! TLS by rustls over a TUN device: an echo server, and a client that sends its standard input.
//!
//! ```console
//! $ cargo run -p ackclock-programs --bin tls -- --tun tun0 serve certificate.pem key.pem
//! $ echo hello | cargo run -p ackclock-programs --bin tls -- --tun tun0 ask 10.7.0.1:443 name.example ca.pem
//! ```
#![forbid(unsafe_code)]

use ackclock::stack::Cidr;
use ackclock_net::sim::HostError;
use ackclock_programs::{over_tun, tls};
use clap::{Parser, Subcommand};
use std::io::{Read, Write};
use std::net::SocketAddr;
use std::path::PathBuf;

/// TLS by rustls over ackclock's sockets.
#[derive(Parser)]
struct Program {
    /// The TUN device.
    #[arg(long)]
    tun: String,
    /// The address of this program.
    #[arg(long, default_value = "10.7.0.2/24")]
    address: Cidr,
    #[command(subcommand)]
    role: Role,
}

#[derive(Subcommand)]
enum Role {
    /// Says back what each client says, at port 443.
    Serve { certificate: PathBuf, key: PathBuf },
    /// Sends standard input to a server of this name, and prints the answer.
    Ask { server: SocketAddr, name: String, trusted: PathBuf },
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), HostError> {
    let Program { tun, address, role } = Program::parse();
    match role {
        Role::Serve { certificate, key } => {
            let config = tls::server_config(&certificate, &key)?;
            let at = SocketAddr::new(address.address, 443);
            over_tun(&tun, address, async |net| Ok(tls::serve(net, at, config).await?)).await
        }
        Role::Ask { server, name, trusted } => {
            let config = tls::client_config(&trusted)?;
            let mut question = Vec::new();
            std::io::stdin().read_to_end(&mut question)?;
            let name = name.try_into()?;
            let ask = async |net: &_| Ok(tls::ask(net, server, name, config, question).await?);
            let answer = over_tun(&tun, address, ask).await?;
            Ok(std::io::stdout().write_all(&answer)?)
        }
    }
}
