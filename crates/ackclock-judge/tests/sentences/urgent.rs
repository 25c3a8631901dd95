//! Urgent data, and what tells the peer that nothing more is queued.

use crate::player::{PLAIN, after};

after!(
    "{PLAIN}write 1500
urgent
"
);

#[test]
fn the_pointer_is_behind_the_last_urgent_byte() {
    kept(
        "> U. 1:1001(1000) ack 1 urg 1500\n> UP. 1001:1501(500) ack 1 urg 500\n+0.01 < . 1:1(0) ack 1501",
    );
    broken(
        "urgent-pointer",
        "> U. 1:1001(1000) ack 1 urg 1499\n> UP. 1001:1501(500) ack 1 urg 500\n+0.01 < . 1:1(0) ack 1501",
    );
}

#[test]
fn what_is_before_urgent_data_says_so_and_nothing_else_does() {
    broken(
        "urgent-missing",
        "> . 1:1001(1000) ack 1\n> UP. 1001:1501(500) ack 1 urg 500\n+0.01 < . 1:1(0) ack 1501",
    );
    let sent = "> U. 1:1001(1000) ack 1 urg 1500\n> UP. 1001:1501(500) ack 1 urg 500\n+0.01 < . 1:1(0) ack 1501";
    broken(
        "urgent-without-urgent-data",
        &format!("{sent}\nwrite 10\n> UP. 1501:1511(10) ack 1 urg 10\n+0.01 < . 1:1(0) ack 1511"),
    );
}

#[test]
fn the_last_segment_of_what_is_written_has_psh() {
    broken(
        "push-missing",
        "> U. 1:1001(1000) ack 1 urg 1500\n> U. 1001:1501(500) ack 1 urg 500\n+0.01 < . 1:1(0) ack 1501",
    );
}
