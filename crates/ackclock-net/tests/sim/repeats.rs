//! The same seed gives the same bytes at the same times: in one process, and in two.

use crate::http::{SERVER, get, page, serve};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{PcapNgCapture, Topology};
use ackclock_net::aio::{TcpListener, TcpStream};
use ackclock_net::sim::{HostError, NotRepeated, Outcome, SimError, SimNet, Trail, repeats};
use std::collections::HashSet;
use std::env;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

const SEEDS: u64 = 8;

/// A run in which a client gets pages over 200 ms with losses, two at once; its capture.
fn capture(seed: u64) -> Vec<u8> {
    let path = "rate=10mbit,delay=100ms,loss=2%,queue=50";
    let topology = Topology::pair([path, path].map(|path| path.parse().unwrap()));
    let observer = PcapNgCapture::new(&topology, Vec::new()).unwrap();
    let mut sim = SimNet::pair(path, seed, observer).unwrap();
    sim.service("right", |host| serve(host.net().clone(), SERVER.parse().unwrap(), 20_000))
        .unwrap();
    sim.host("left", |host| async move {
        let net = host.net().clone();
        let other = tokio::spawn(async move { check(&net, "/other").await });
        check(host.net(), "/one").await?;
        other.await??;
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        check(host.net(), "/later").await
    })
    .unwrap();
    assert_eq!(sim.run(Duration::from_secs(600)).unwrap(), Outcome::Done);
    sim.settle(Duration::from_secs(10));
    sim.into_observer().finish().unwrap()
}

async fn check(net: &ackclock_net::Net, path: &str) -> Result<(), HostError> {
    assert_eq!(get(net, SERVER.parse()?, path).await?, page(path, 20_000));
    Ok(())
}

/// FNV-1a, which a test can compare between processes.
fn digest(capture: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    capture.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

#[test]
fn a_seed_gives_the_same_capture_each_time() {
    let captures: Vec<_> = (0..SEEDS).map(capture).collect();
    for (seed, first) in (0..).zip(&captures) {
        assert!(*first == capture(seed), "seed {seed}");
        println!("{}", line(seed, first));
    }
    let mut digests: Vec<_> = captures.iter().map(|capture| digest(capture)).collect();
    digests.sort_unstable();
    digests.dedup();
    assert_eq!(digests.len() as u64, SEEDS, "each seed loses other packets");
}

/// What the test above prints of a seed.
fn line(seed: u64, capture: &[u8]) -> String {
    format!("seed {seed} gives {:016x}", digest(capture))
}

#[test]
fn a_seed_gives_the_same_capture_in_another_process() {
    let other = Command::new(env::current_exe().unwrap())
        .args(["--exact", "repeats::a_seed_gives_the_same_capture_each_time", "--nocapture"])
        .output()
        .unwrap();
    let said = String::from_utf8(other.stdout).unwrap();
    for seed in 0..SEEDS {
        let line = line(seed, &capture(seed));
        assert!(said.contains(&line), "not '{line}': {said}");
    }
}

/// A run whose client says these bytes, one packet for each.
fn says(trail: Trail, bytes: impl Fn() -> Vec<u8> + Send + 'static) -> Result<Trail, SimError> {
    let mut sim = SimNet::pair("rate=10mbit,delay=10ms", 7, trail)?;
    sim.service("right", |host| async move {
        let listener = TcpListener::bind(host.net(), SERVER.parse()?)?;
        let (mut stream, _) = listener.accept().await?;
        while stream.read(&mut [0; 100]).await? > 0 {}
        Ok(())
    })?;
    sim.host("left", move |host| async move {
        let mut stream = TcpStream::connect(host.net(), SERVER.parse()?).await?;
        stream.set_nodelay(true)?;
        for byte in bytes() {
            stream.write_all(&[byte]).await?;
            stream.acknowledged().await?;
        }
        Ok(())
    })?;
    sim.run(Duration::from_secs(600))?;
    Ok(sim.into_observer())
}

#[test]
fn what_a_program_asks_besides_the_network_is_found() {
    let repeated = repeats(|trail| says(trail, || (0..20).collect()));
    assert!(repeated.is_ok(), "{repeated:?}");
    let of_a_map = || HashSet::<u8>::from_iter(0..100).into_iter().collect();
    let differs = repeats(|trail| says(trail, of_a_map)).unwrap_err();
    let NotRepeated::Differs { packet, at: [Some(first), Some(second)] } = differs else {
        panic!("{differs:?}");
    };
    // SYN, SYN-ACK and ACK are the same; the first or one of the next bytes is not.
    assert!(packet >= 3 && first == second && first >= Instant::from_millis(20), "{differs:?}");
    let runs = AtomicU64::new(0);
    let shorter = repeats(|trail| {
        let bytes = 10 - runs.fetch_add(1, Ordering::Relaxed);
        says(trail, move || vec![7; bytes as usize])
    });
    assert!(matches!(shorter, Err(NotRepeated::Differs { .. })), "{shorter:?}");
}

#[test]
fn a_choice_that_tokio_draws_is_found() {
    let draws = |trail| -> Result<_, SimError> {
        says(trail, || {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let draw = async || tokio::select! { () = async {} => 0, () = async {} => 1 };
            std::thread::spawn(move || {
                runtime.block_on(async {
                    let mut drawn = Vec::new();
                    for _ in 0..100 {
                        drawn.push(draw().await);
                    }
                    drawn
                })
            })
            .join()
            .unwrap()
        })
    };
    assert!(matches!(repeats(draws), Err(NotRepeated::Differs { .. })));
}
