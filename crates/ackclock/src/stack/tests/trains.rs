//! Segments that follow one another without being thought about each.

use super::*;
use std::format;

/// What a client sends of `bytes` through a window of 20,000 bytes in three rounds, each followed by
/// the acks for it, and what it knows of itself after each round. The link refuses each third packet
/// once. `apart`: before each packet a timer might have fired.
fn sent(bytes: usize, apart: bool) -> (Vec<Vec<u8>>, Vec<String>) {
    let mut pair = Pair::new();
    let (client, _) = pair.established();
    pair.client.send(pair.now, client, &std::vec![7; bytes]).unwrap();
    let (mut all, mut known) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        pair.now += STEP;
        let mut offered = 0;
        let mut round = Vec::new();
        loop {
            if apart {
                pair.client.on_timeout(pair.now);
            }
            let answer = pair.client.transmit(pair.now, &mut |transmit| {
                offered += 1;
                if offered % 3 == 0 {
                    return Err(Rejected);
                }
                let mut packet = std::vec![0; transmit.len()];
                transmit.copy_to(&mut packet).unwrap();
                round.push(packet);
                Ok(())
            });
            if answer == Offered::Nothing {
                break;
            }
        }
        known.push(format!("{:?}", pair.client.info(pair.now, client)));
        known.push(format!("{} {:?}", pair.client.poll_at(), pair.client.statistics()));
        round.iter().for_each(|packet| {
            pair.server.on_packet(pair.now, packet);
        });
        let acks = packets(pair.now, &mut pair.server);
        acks.iter().for_each(|packet| {
            pair.client.on_packet(pair.now, packet);
        });
        all.extend(round);
    }
    (all, known)
}

#[test]
fn segments_that_follow_others_are_what_each_would_be_alone() {
    for bytes in [1_448 * 6, 1_448 * 6 + 1, 20_000, 45_000, 60_000] {
        let together = sent(bytes, false);
        assert!(together.0.len() > 5);
        assert_eq!(together, sent(bytes, true), "{bytes}");
    }
}
