//! Signed connections over a path that loses packets (RFC 5925).

use crate::common::talker::{Content, Talker};
use crate::common::{far_end, pair};
use ackclock::stack::KeyScope;
use ackclock::tcp::Config;
use ackclock::time::Instant;
use ackclock::wire::ao::{AoAlgorithm, AoKey};
use ackclock_emulator::{Ended, HostId, LEFT, RIGHT};

const LENGTH: u64 = 1 << 20;
/// How long a key is used, in milliseconds.
const PERIOD: u64 = 300;

/// The key of a period, by either algorithm in turn, as a host has it.
fn key<'k>(period: u8, host: HostId, bytes: &'k [u8]) -> AoKey<'k> {
    let algorithm = match period % 2 {
        0 => AoAlgorithm::HmacSha1,
        _ => AoAlgorithm::Aes128Cmac,
    };
    let covers_options = !period.is_multiple_of(3);
    let key =
        AoKey { send_id: period, recv_id: period ^ 0x80, algorithm, covers_options, key: bytes };
    if host == LEFT { key } else { key.turned() }
}

/// Sections 5.3 and 6.1: both sides send a megabyte at once and verify what they get, while packets are lost and
/// overtaken, and the key changes every 300 ms: a new one is set, each side asks for it, and the one before the last is
/// removed. No segment is dropped for its signature, and TCP's numbers of retransmissions say that the path lost some.
#[test]
fn keys_change_again_and_again_in_mid_transfer_and_no_byte_is_lost() {
    for seed in 0..3 {
        let path = "rate=10mbit,delay=10ms,loss=2%,reorder=5%:5ms,queue=64";
        let mut emulator = pair(path, seed);
        let scope = KeyScope::of("10.0.0.0/24".parse().unwrap());
        for host in [LEFT, RIGHT] {
            let first = key(0, host, b"secret 0");
            emulator.with_stack(host, |now, stack| stack.add_ao_key(now, &scope, &first).unwrap());
        }
        let [left, right] = [1, 2].map(|seed| Content { seed, length: LENGTH });
        let address = far_end(false, 1);
        let listening = Talker::listening(address, Config::default(), [right, left]);
        let connecting = Talker::connecting(address, Config::default(), [left, right]);
        let right = emulator.add_application(RIGHT, listening).unwrap();
        let left = emulator.add_application(LEFT, connecting).unwrap();
        let (mut period, mut last) = (0, [0; 2]);
        while emulator.run_until_done(Instant::from_millis(PERIOD * (u64::from(period) + 1)))
            == Ended::OutOfTime
        {
            period += 1;
            let secret = format!("secret {period}");
            for (side, (host, id)) in [(LEFT, left), (RIGHT, right)].into_iter().enumerate() {
                let new = key(period, host, secret.as_bytes());
                let old = key(period.saturating_sub(2), host, b"");
                let handle = emulator.application(id).unwrap().handle;
                last[side] = emulator.with_stack(host, |now, stack| {
                    stack.add_ao_key(now, &scope, &new).unwrap();
                    if let Some(handle) = handle {
                        stack.set_ao_rnext_key(now, handle, new.recv_id).unwrap();
                    }
                    if period >= 2 {
                        stack.remove_ao_key(now, &scope, old.send_id, old.recv_id).unwrap();
                    }
                    let ao = handle.and_then(|handle| stack.info(now, handle)?.ao);
                    ao.map_or(last[side], |ao| ao.current_key)
                });
            }
        }
        assert!(period >= 4, "{period} periods");
        for (host, id) in [(LEFT, left), (RIGHT, right)] {
            let talker = emulator.application(id).unwrap();
            let info = talker.info.unwrap();
            assert_eq!((talker.received, talker.wrong, info.error), (LENGTH, None, None));
            assert!(info.retransmitted > 0);
            let statistics = emulator.stack(host).statistics();
            assert_eq!((statistics.signature_wrong, statistics.signature_missing), (0, 0));
            // What was under way for longer than a key's time would name one that is gone; nothing was.
            assert_eq!(statistics.signature_key_unknown, 0);
        }
        // Each side has followed the other's wishes.
        assert!(last[0] >= period - 2, "{last:?} in period {period}");
        assert!(last[1] ^ 0x80 >= period - 2, "{last:?} in period {period}");
    }
}
