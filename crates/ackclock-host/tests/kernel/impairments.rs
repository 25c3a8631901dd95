//! Tests with one packet in a hundred lost, duplicated, reordered or damaged, in one direction at a
//! time.

use crate::applications::{Client, Script, Turn};
use crate::kernel_side;
use crate::namespace::in_namespace;
use crate::pattern::Content;
use crate::world::{Family, World};
use ackclock_host::impaired::{Impairment, Suffered};

/// One percent, in millionths.
const ONE_PERCENT: u32 = 10_000;

const CONTENT: Content = Content::new(1, 8 << 20);

const HEALTHY: Impairment = Impairment { drop: 0, duplicate: 0, reorder: 0, corrupt: 0, mark: 0 };

const DROP: Impairment = Impairment { drop: ONE_PERCENT, ..HEALTHY };

const DUPLICATE: Impairment = Impairment { duplicate: ONE_PERCENT, ..HEALTHY };

const REORDER: Impairment = Impairment { reorder: ONE_PERCENT, ..HEALTHY };

const CORRUPT: Impairment = Impairment { corrupt: ONE_PERCENT, ..HEALTHY };

/// An echo through the impaired link over both versions of IP, verified at both ends. `check` gets
/// the counters of the packets transmitted by the stack and of those received by it.
fn echo_through(transmitted: Impairment, received: Impairment, check: fn(Suffered, Suffered)) {
    for family in Family::BOTH {
        in_namespace(|| {
            let mut world = World::impaired(transmitted, received);
            let (listener, address) = kernel_side::listen(family);
            let script = Script { sends: CONTENT, receives: CONTENT, turn: Turn::AtOnce };
            let mut client = Client::new(address, script);
            world.run_against(&mut client, move || {
                kernel_side::echo(&kernel_side::accept(&listener), CONTENT)
            });
            assert_eq!(client.outcomes()[0].error, None);
            let link = world.run_loop.link();
            check(link.transmitted(), link.received());
        });
    }
}

#[test]
fn every_byte_survives_loss_on_the_way_to_the_kernel() {
    echo_through(DROP, HEALTHY, |there, _| assert!(there.dropped > 0));
}

#[test]
fn every_byte_survives_loss_on_the_way_to_the_stack() {
    echo_through(HEALTHY, DROP, |_, back| assert!(back.dropped > 0));
}

#[test]
fn every_byte_survives_duplication_on_the_way_to_the_kernel() {
    echo_through(DUPLICATE, HEALTHY, |there, _| assert!(there.duplicated > 0));
}

#[test]
fn every_byte_survives_duplication_on_the_way_to_the_stack() {
    echo_through(HEALTHY, DUPLICATE, |_, back| assert!(back.duplicated > 0));
}

#[test]
fn every_byte_survives_reordering_on_the_way_to_the_kernel() {
    echo_through(REORDER, HEALTHY, |there, _| assert!(there.reordered > 0));
}

#[test]
fn every_byte_survives_reordering_on_the_way_to_the_stack() {
    echo_through(HEALTHY, REORDER, |_, back| assert!(back.reordered > 0));
}

#[test]
fn every_byte_survives_corruption_on_the_way_to_the_kernel() {
    echo_through(CORRUPT, HEALTHY, |there, _| assert!(there.corrupted > 0));
}

#[test]
fn every_byte_survives_corruption_on_the_way_to_the_stack() {
    echo_through(HEALTHY, CORRUPT, |_, back| assert!(back.corrupted > 0));
}
