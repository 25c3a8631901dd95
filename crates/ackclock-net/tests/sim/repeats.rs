//! The same seed gives the same bytes at the same times: in one process, and in two.

use crate::http::{SERVER, get, page, serve};
use ackclock::time::Duration;
use ackclock_emulator::{PcapNgCapture, Topology};
use ackclock_net::sim::{HostError, Outcome, SimNet};
use std::env;
use std::process::Command;

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
