//! Tests of the guards' firewall rules, with several guards in one process.

use crate::namespace::in_namespace;
use ackclock_host::guard::{Cover, Guard, remove_leftovers};
use std::net::Ipv4Addr;
use std::process::Command;

/// The number of nftables tables in the namespace.
fn tables() -> usize {
    let output = Command::new("nft").args(["list", "tables", "ip"]).output().expect("nft runs");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("text").lines().count()
}

#[test]
fn two_guards_of_one_process_have_a_rule_each_and_remove_their_own() {
    in_namespace(|| {
        let cover = |last: u8| Cover {
            address: Ipv4Addr::new(192, 0, 2, last),
            ports: "61000-61063".parse().expect("ports"),
        };
        let first = Guard::install(&cover(1)).expect("a rule");
        let second = Guard::install(&cover(2)).expect("another rule");
        assert_eq!((tables(), remove_leftovers().expect("a look")), (2, 0));
        drop(first);
        assert_eq!(tables(), 1);
        drop(second);
        assert_eq!(tables(), 0);
    });
}
