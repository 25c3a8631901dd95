//! TLS over our streams: against rustls on the kernel's sockets, and in virtual time.
#![cfg(target_os = "linux")]

#[path = "../../../crates/ackclock-host/tests/kernel/namespace.rs"]
mod namespace;
mod support;

use ackclock::time::Duration as Time;
use ackclock_net::sim::{Outcome, SimNet};
use ackclock_programs::http::pattern;
use ackclock_programs::tls::{ask, client_config, serve, server_config};
use namespace::in_namespace;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use support::{Ended, PATIENCE, folder, interface, wait_for};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::{TlsAcceptor, TlsConnector};

const TLS: &str = env!("CARGO_BIN_EXE_tls");
const NAME: &str = "server.example";

/// A certificate for the server and its key, as files.
fn identity(folder: &Path) -> [PathBuf; 2] {
    let made = rcgen::generate_simple_self_signed([NAME.to_owned()]).unwrap();
    let files = ["certificate.pem", "key.pem"].map(|name| folder.join(name));
    std::fs::write(&files[0], made.cert.pem()).unwrap();
    std::fs::write(&files[1], made.signing_key.serialize_pem()).unwrap();
    files
}

fn name() -> ServerName<'static> {
    NAME.try_into().unwrap()
}

fn block_on<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(PATIENCE, future).await.expect("it hangs") })
}

#[test]
fn a_client_on_the_kernels_socket_is_understood() {
    in_namespace(|| {
        interface("tun0", "10.7.0.2/24");
        let folder = folder("tls-serve");
        let [certificate, key] = identity(&folder);
        let [certificate_name, key_name] = [&certificate, &key].map(|it| it.to_str().unwrap());
        let _server = Ended::spawn(TLS, &["--tun", "tun0", "serve", certificate_name, key_name]);
        wait_for("10.7.0.2:443");
        let said = pattern(3, 1_000_000);
        let answer = block_on(async {
            let stream = tokio::net::TcpStream::connect("10.7.0.2:443").await.unwrap();
            let connector = TlsConnector::from(client_config(&certificate).unwrap());
            let stream = connector.connect(name(), stream).await.unwrap();
            let (mut from, mut to) = tokio::io::split(stream);
            let mut answer = Vec::new();
            let says = async {
                to.write_all(&said).await?;
                to.shutdown().await
            };
            tokio::try_join!(says, from.read_to_end(&mut answer)).unwrap();
            answer
        });
        assert!(answer == said, "{} bytes", answer.len());
        std::fs::remove_dir_all(folder).unwrap();
    });
}

#[test]
fn a_server_on_the_kernels_socket_is_asked_and_another_is_not_believed() {
    in_namespace(|| {
        interface("tun0", "10.7.0.2/24");
        let (folder, other) = (folder("tls-ask"), folder("tls-other"));
        let [certificate, key] = identity(&folder);
        let [stranger, _] = identity(&other);
        let acceptor = TlsAcceptor::from(server_config(&certificate, &key).unwrap());
        let listener = std::net::TcpListener::bind("10.7.0.1:443").unwrap();
        listener.set_nonblocking(true).unwrap();
        let server = std::thread::spawn(move || {
            block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                let mut accepted = Vec::new();
                for _ in 0..2 {
                    let (stream, _) = listener.accept().await.unwrap();
                    let Ok(stream) = acceptor.accept(stream).await else {
                        accepted.push(false);
                        continue;
                    };
                    let (mut from, mut to) = tokio::io::split(stream);
                    tokio::io::copy(&mut from, &mut to).await.unwrap();
                    to.shutdown().await.unwrap();
                    accepted.push(true);
                }
                accepted
            })
        });
        let said = pattern(5, 1_000_000);
        let asks = |trusted: &Path| {
            let mut client = Command::new(TLS);
            client.args(["--tun", "tun0", "ask", "10.7.0.1:443", NAME]).arg(trusted);
            client.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut client = client.spawn().unwrap();
            let mut stdin = client.stdin.take().unwrap();
            let said = said.clone();
            // A failing client does not read to the end.
            let says = std::thread::spawn(move || drop(stdin.write_all(&said)));
            let done = client.wait_with_output().unwrap();
            says.join().unwrap();
            done
        };
        let done = asks(&certificate);
        assert!(done.status.success() && done.stdout == said, "{:?}", done.stderr);
        let failed = asks(&stranger);
        let why = String::from_utf8_lossy(&failed.stderr);
        assert!(!failed.status.success() && why.contains("InvalidCertificate"), "{why}");
        assert_eq!(server.join().unwrap(), [true, false]);
        std::fs::remove_dir_all(folder).unwrap();
        std::fs::remove_dir_all(other).unwrap();
    });
}

#[test]
fn tls_works_over_losses_in_virtual_time() {
    let folder = folder("tls-virtual");
    let [certificate, key] = identity(&folder);
    let (client, server) =
        (client_config(&certificate).unwrap(), server_config(&certificate, &key).unwrap());
    for seed in 0..20 {
        let mut sim = SimNet::pair("rate=10mbit,delay=100ms,loss=2%", seed, ()).unwrap();
        let (server, client) = (Arc::clone(&server), Arc::clone(&client));
        sim.service("right", |host| async move {
            Ok(serve(host.net(), "10.0.0.2:443".parse()?, server).await?)
        })
        .unwrap();
        sim.host("left", |host| async move {
            let at = "10.0.0.2:443".parse()?;
            let answer = ask(host.net(), at, name(), client, pattern(7, 100_000)).await?;
            assert!(answer == pattern(7, 100_000), "{} bytes", answer.len());
            Ok(())
        })
        .unwrap();
        assert_eq!(sim.run(Time::from_secs(600)).unwrap(), Outcome::Done);
    }
    std::fs::remove_dir_all(folder).unwrap();
}
