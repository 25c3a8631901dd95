//! RFC 4821 section 7: probes of the path's MTU, which need no ICMP.

use ackclock_testkit::script::check;

/// An open over an Ethernet whose path is searched from 1,064 bytes on, and a probe of 1,280 with six
/// segments behind it.
const PROBED: &str = "set mss link
        set mtu_probing always
        connect
        > S 0:0(0) <mss 1460,sackOK>
        +0.01 < S. 0:0(0) ack 1 win 60000 <mss 1460,sackOK>
        > . 1:1(0) ack 1
        info mss 1024
        info pmtu 1064
        write 7384
        > . 1:1241(1240) ack 1
        > . 1241:2265(1024) ack 1
        > . 2265:3289(1024) ack 1
        > . 3289:4313(1024) ack 1
        > . 4313:5337(1024) ack 1
        > . 5337:6361(1024) ack 1
        > P. 6361:7385(1024) ack 1
        info path_probes_sent 1
        info cwnd 10240";

#[track_caller]
fn probed(recovery: &str, script: &str) {
    check(&format!("set recovery {recovery}\n {PROBED}\n {script}"));
}

#[test]
fn a_probe_that_arrives_raises_the_mss_and_not_the_window() {
    // Sections 7.6.1 and 4.
    probed(
        "rack",
        "
        +0.01 < . 1:1(0) ack 7385
        info cwnd 12288               # slow start, as without the probe
        write 6320
        > . 7385:8745(1360) ack 1     # the next one is of 1,400 bytes
        > . 8745:9985(1240) ack 1
        > . 9985:11225(1240) ack 1
        > . 11225:12465(1240) ack 1
        > P. 12465:13705(1240) ack 1
        info mss 1240
        info pmtu 1280
        info cwnd 12288
        info search_low 1280
        info search_high 1500
        ",
    );
}

#[test]
fn no_probe_goes_without_data_for_it_and_three_segments_behind_it() {
    // Section 7.4.
    check(
        "
        set mss link
        set mtu_probing always
        connect
        > S 0:0(0) <mss 1460,sackOK>
        +0.01 < S. 0:0(0) ack 1 win 60000 <mss 1460,sackOK>
        > . 1:1(0) ack 1
        write 4311
        > . 1:1025(1024) ack 1
        > . 1025:2049(1024) ack 1
        > . 2049:3073(1024) ack 1
        > . 3073:4097(1024) ack 1
        > P. 4097:4312(215) ack 1
        info path_probes_sent 0
        ",
    );
}

#[test]
fn new_data_wait_until_the_window_has_room_for_a_probe() {
    // Section 7.4: the acks make room.
    check(
        "
        set mss link
        set mtu_probing always
        connect
        > S 0:0(0) <mss 1460,sackOK>
        +0.01 < S. 0:0(0) ack 1 win 5120 <mss 1460,sackOK>
        > . 1:1(0) ack 1
        write 3072
        > . 1:1025(1024) ack 1
        > . 1025:2049(1024) ack 1
        > P. 2049:3073(1024) ack 1
        write 9000
        +0.01 < . 1:1(0) ack 1025
        +0.01 < . 1:1(0) ack 2049
        +0.01 < . 1:1(0) ack 3073
        > . 3073:4313(1240) ack 1
        > . 4313:5337(1024) ack 1
        > . 5337:6361(1024) ack 1
        > . 6361:7385(1024) ack 1
        ",
    );
}

#[test]
fn a_probe_that_alone_is_lost_goes_again_in_smaller_segments_which_is_no_congestion() {
    // Section 7.6.2.
    for recovery in ["rack", "rfc6675"] {
        probed(
            recovery,
            "
            +0.01 < . 1:1(0) ack 1 <sack 1241:4313>
            > . 1:1025(1024) ack 1
            > . 1025:1241(216) ack 1
            info cwnd 10240
            info ssthresh 4294967295
            info fast_recoveries 0
            info mss 1024
            +0.001 < . 1:1(0) ack 1 <sack 1241:7385>
            +0.01 < . 1:1(0) ack 7385
            info path_probes_lost 1
            info search_high 1500         # one that is lost may have had bad luck
            info in_recovery 0
            ",
        );
    }
}

#[test]
fn without_sack_duplicate_acks_show_that_a_probe_is_lost() {
    // Section 6.1.
    probed(
        "newreno",
        "
        +0.01 < . 1:1(0) ack 1
        < . 1:1(0) ack 1
        < . 1:1(0) ack 1
        > . 1:1025(1024) ack 1
        > . 1025:1241(216) ack 1
        < . 1:1(0) ack 1
        < . 1:1(0) ack 1
        < . 1:1(0) ack 1
        +0.01 < . 1:1(0) ack 7385
        info ssthresh 4294967295
        info fast_recoveries 0
        info path_probes_lost 1
        ",
    );
}

#[test]
fn another_loss_beside_that_of_a_probe_is_congestion() {
    // Section 7.6.4: the probe tells nothing then.
    probed(
        "rack",
        "
        +0.01 < . 1:1(0) ack 1 <sack 1241:3289 4313:7385>
        > . 1:1025(1024) ack 1
        > . 1025:1241(216) ack 1
        > . 3289:4313(1024) ack 1
        info fast_recoveries 1
        info ssthresh 3692            # half of what was in flight
        +0.01 < . 1:1(0) ack 7385
        info path_probes_lost 0
        info search_high 1500
        ",
    );
}

#[test]
fn what_else_is_found_lost_while_a_probe_is_repaired_is_congestion() {
    // Section 4: any other loss.
    probed(
        "rack",
        "
        +0.01 < . 1:1(0) ack 1 <sack 1241:4313>
        > . 1:1025(1024) ack 1
        > . 1025:1241(216) ack 1
        info ssthresh 4294967295
        +0.001 < . 1:1(0) ack 1 <sack 1241:4313 5337:7385>
        > . 4313:5337(1024) ack 1
        info ssthresh 3692
        ",
    );
}

#[test]
fn after_a_lost_probe_the_next_one_waits_a_round_trip_for_each_segment_of_the_window() {
    // Sections 4 and 7.6.2; the window is 12 segments then, a round trip 10 ms.
    probed(
        "rack",
        "
        +0.01 < . 1:1(0) ack 1 <sack 1241:7385>
        > . 1:1025(1024) ack 1
        > . 1025:1241(216) ack 1
        +0.01 < . 1:1(0) ack 7385
        write 4336
        > . 7385:8409(1024) ack 1
        > . 8409:9433(1024) ack 1
        > . 9433:10457(1024) ack 1
        > . 10457:11481(1024) ack 1
        > P. 11481:11721(240) ack 1
        +0.01 < . 1:1(0) ack 11721
        +0.2 write 4336
        > . 11721:12961(1240) ack 1
        > . 12961:13985(1024) ack 1
        > . 13985:15009(1024) ack 1
        > . 15009:16033(1024) ack 1
        > P. 16033:16057(24) ack 1
        info path_probes_sent 2
        ",
    );
}

#[test]
fn after_two_timeouts_in_a_row_segments_shrink() {
    // Section 7.7.
    check(
        "
        set mss link
        set mtu_probing black-hole
        connect
        > S 0:0(0) <mss 1460,sackOK>
        +0.01 < S. 0:0(0) ack 1 win 60000 <mss 1460,sackOK>
        > . 1:1(0) ack 1
        write 1460
        > P. 1:1461(1460) ack 1
        +0.2 > P. 1:1461(1460) ack 1
        info pmtu 1500
        +0.4 > . 1:1025(1024) ack 1
        > P. 1025:1461(436) ack 1     # a window is as many bytes as before
        info pmtu 1064
        +0.01 < . 1:1(0) ack 1461
        info search_low 1064
        info search_high 1500
        info timeouts 2
        ",
    );
}

#[test]
fn segments_shrink_further_while_nothing_arrives() {
    // Section 7.7, to what every path of IPv4 carries or may cut.
    check(
        "
        set mss link
        set mtu_probing black-hole
        connect
        > S 0:0(0) <mss 1460,sackOK>
        +0.01 < S. 0:0(0) ack 1 win 60000 <mss 1460,sackOK>
        > . 1:1(0) ack 1
        write 1460
        > P. 1:1461(1460) ack 1
        +0.2 > P. 1:1461(1460) ack 1
        +0.4 > . 1:1025(1024) ack 1
        > P. 1025:1461(436) ack 1
        +0.8 > . 1:513(512) ack 1
        > . 513:1025(512) ack 1
        info pmtu 552
        +1.6 > . 1:513(512) ack 1
        ",
    );
}

#[test]
fn what_a_router_tells_of_a_probe_concerns_no_other_segment() {
    // Section 7.6.2; the loss is seen all the same.
    probed(
        "rack",
        "
        +0.005 icmp frag_needed 1 mtu 1100
        info pmtu 1064
        info search_high 1100
        +0.005 < . 1:1(0) ack 1 <sack 1241:7385>
        > . 1:1025(1024) ack 1
        > . 1025:1241(216) ack 1
        +0.01 < . 1:1(0) ack 7385
        write 4336
        > . 7385:8445(1060) ack 1     # of 1,100 bytes, at once
        > . 8445:9469(1024) ack 1
        > . 9469:10493(1024) ack 1
        > . 10493:11517(1024) ack 1
        > P. 11517:11721(204) ack 1
        +0.01 < . 1:1(0) ack 11721
        write 1060
        > P. 11721:12781(1060) ack 1
        info pmtu 1100
        ",
    );
}

#[test]
fn ten_minutes_after_the_search_has_ended_it_begins_again() {
    // Section 7.3.
    check(
        "
        set recovery rack
        set mss link
        set mtu 1100
        set mtu_probing always
        connect
        > S 0:0(0) <mss 1060,sackOK>
        +0.01 < S. 0:0(0) ack 1 win 60000 <mss 1460,sackOK>
        > . 1:1(0) ack 1
        write 4132
        > . 1:1061(1060) ack 1
        > . 1061:2085(1024) ack 1
        > . 2085:3109(1024) ack 1
        > P. 3109:4133(1024) ack 1
        icmp frag_needed 1 mtu 1064
        +0.01 < . 1:1(0) ack 1 <sack 1061:4133>
        > . 1:1025(1024) ack 1
        > . 1025:1061(36) ack 1
        +0.01 < . 1:1(0) ack 4133
        write 10
        > P. 4133:4143(10) ack 1
        info search_high 1064
        +0.01 < . 1:1(0) ack 4143
        +599 write 4132
        > . 4143:5167(1024) ack 1
        > . 5167:6191(1024) ack 1
        > . 6191:7215(1024) ack 1
        > . 7215:8239(1024) ack 1
        > P. 8239:8275(36) ack 1
        +0.01 < . 1:1(0) ack 8275
        +2 write 4132
        > . 8275:9335(1060) ack 1
        > . 9335:10359(1024) ack 1
        > . 10359:11383(1024) ack 1
        > P. 11383:12407(1024) ack 1
        ",
    );
}

#[test]
fn a_timeout_for_a_probe_alone_is_no_congestion() {
    // The acks of all that went behind it tell so; they did not come to three segments.
    check(
        "
        set recovery rfc6675
        set mss link
        set mtu_probing always
        connect
        > S 0:0(0) <mss 1460,sackOK>
        +0.01 < S. 0:0(0) ack 1 win 60000 <mss 1460,sackOK>
        > . 1:1(0) ack 1
        write 4312
        > . 1:1241(1240) ack 1
        > . 1241:2265(1024) ack 1
        > . 2265:3289(1024) ack 1
        > P. 3289:4313(1024) ack 1
        +0.01 < . 1:1(0) ack 1
        +0.01 < . 1:1(0) ack 1 <sack 1241:4313>
        > . 1:1025(1024) ack 1
        > . 1025:1241(216) ack 1
        info timeouts 0
        info ssthresh 4294967295
        ",
    );
}
