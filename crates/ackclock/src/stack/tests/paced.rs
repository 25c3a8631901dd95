//! A paced connection between its transmissions.

use super::*;
use crate::tcp::Pacing;

#[test]
fn it_leaves_the_ready_queue_for_the_timer_queue() {
    let mut pair = Pair::new();
    pair.listen();
    let config = Config { pacing: Pacing::Always, ..Config::default() };
    let client = pair.client.connect(pair.now, addr("10.0.0.2:80"), None, &config).unwrap();
    let syn = packets(pair.now, &mut pair.client);
    pair.server.on_packet(pair.now, &syn[0]);
    let syn_ack = packets(pair.now, &mut pair.server);
    pair.now += Duration::from_millis(10);
    pair.client.on_packet(pair.now, &syn_ack[0]);
    packets(pair.now, &mut pair.client);

    // Two windows of 20,000 bytes in 10 ms are 4,000 in 1 ms: three segments of 1,448 begin there.
    pair.client.send(pair.now, client, &[0; 12_000]).unwrap();
    let began = pair.now;
    let mut departures = Vec::new();
    for _ in 0..3 {
        departures
            .push((pair.now.saturating_since(began), packets(pair.now, &mut pair.client).len()));
        assert_eq!(packets(pair.now, &mut pair.client).len(), 0, "nothing before its time");
        pair.now = pair.client.poll_at();
        pair.client.on_timeout(pair.now);
    }
    let quantum = |n: u64| Duration::from_micros(3 * 1_448 / 4 * n);
    assert_eq!(departures, [(quantum(0), 3), (quantum(1), 3), (quantum(2), 3)]);
    let silence = pair.now.saturating_since(began);
    assert!(silence > Duration::from_millis(20), "then only timers of loss recovery: {silence}");
}
