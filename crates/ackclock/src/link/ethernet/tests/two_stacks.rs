//! Two stacks on one wire.

use super::*;
use crate::tcp::ReceiveError;

/// Sends from the first host to the second one over a wire that loses the first frames; returns what
/// arrived.
fn transfer(addresses: [&str; 2], to: &str, lost: usize, bytes: &[u8]) -> Vec<u8> {
    let mut hosts =
        [Host::unannounced(US, &[addresses[0]]), Host::unannounced(THEM, &[addresses[1]])];
    let listener = hosts[1].stack.listen(ListenConfig::new(to.parse().unwrap())).unwrap();
    let client = hosts[0].connect(to);
    let (mut server, mut arrived, mut sent, mut count) = (None, Vec::new(), 0, 0);
    for _ in 0..10_000 {
        let taken = hosts[0].stack.send(hosts[0].now, client, &bytes[sent..]).unwrap_or(0);
        sent += taken;
        if sent == bytes.len() {
            hosts[0].stack.shutdown(hosts[0].now, client).unwrap();
        }
        server = server.or_else(|| hosts[1].stack.accept(listener));
        if let Some(server) = server {
            let mut piece = [0; 1000];
            match hosts[1].stack.receive(hosts[1].now, server, &mut piece) {
                Ok(n) => arrived.extend_from_slice(&piece[..n]),
                Err(ReceiveError::Finished) => return arrived,
                Err(error) => panic!("{error}"),
            }
        }
        let mut quiet = true;
        for from in 0..2 {
            for frame in hosts[from].frames() {
                quiet = false;
                count += 1;
                if count > lost {
                    hosts[1 - from].on_frame(&frame);
                }
            }
        }
        let next = hosts.iter().map(|host| host.stack.poll_at().min(host.ethernet.poll_at()));
        let next = next.min().unwrap();
        for host in &mut hosts {
            host.now = if quiet && taken == 0 { host.now.max(next) } else { host.now };
            host.now += Duration::from_micros(100);
            host.stack.on_timeout(host.now);
        }
    }
    panic!("no end");
}

#[test]
fn data_arrives_whole_over_both_families_and_lost_questions() {
    let bytes: Vec<u8> = (0..200_000u32).map(|i| (i % 251) as u8).collect();
    for (addresses, to) in [
        (["10.0.0.1/24", "10.0.0.2/24"], "10.0.0.2:80"),
        (["fd00::1/64", "fd00::2/64"], "[fd00::2]:80"),
    ] {
        for lost in [0, 3, 6] {
            assert!(transfer(addresses, to, lost, &bytes) == bytes, "{to}, {lost} frames lost");
        }
    }
}
