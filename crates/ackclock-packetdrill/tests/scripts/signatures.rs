//! Keys in the library's flags: our segments are signed, and the peer's that have the option get the digest that no
//! script can compute.

use crate::player::check;

#[test]
fn a_key_of_md5_signs_both_ends() {
    check(
        "
        flags md5_key=secret
        socket = fd s
        bind s
        listen s 1
        < S 0:0(0) <mss 1000>
        +0.01 < S 0:0(0) <md5,mss 1000>
        > S. 0:0(0) ack 1 <md5,mss 1460>
        +0.01 < . 1:1(0) ack 1 <md5>
        accept s = fd c
        +0 < P. 1:101(100) ack 1
        +0 < P. 1:101(100) ack 1 <md5>
        read c 100
        +0.04 > . 1:1(0) ack 101 <md5>
        ",
    );
}

#[test]
fn a_key_of_tcp_ao_signs_both_ends() {
    check(
        "
        flags ao_key=0:AES128=secret
        socket = fd s
        bind s
        listen s 1
        < S 0:0(0) <mss 1000>
        +0.01 < S 0:0(0) <ao,mss 1000>
        > S. 0:0(0) ack 1 <ao 0 0,mss 1460>
        +0.01 < . 1:1(0) ack 1 <ao>
        accept s = fd c
        +0 < P. 1:101(100) ack 1
        +0 < P. 1:101(100) ack 1 <ao>
        read c 100
        +0.04 > . 1:1(0) ack 101 <ao 0 0>
        ",
    );
}
