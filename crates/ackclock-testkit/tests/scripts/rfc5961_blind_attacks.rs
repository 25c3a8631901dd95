//! RFC 5961 against segments that somebody off the path has made up. Its rules for RST and SYN
//! (sections 3 and 4) stand state by state in the checks of RFC 9293 section 3.10.7.4.

use crate::states::*;
use ackclock_testkit::script::check;

#[test]
fn the_challenge_carries_no_text_and_the_blocks_of_any_ack() {
    // Section 3.2: <SEQ=SND.NXT><ACK=RCV.NXT><CTL=ACK>. RFC 2018 section 4 wants SACK options in all acks
    // that do not acknowledge the highest number in the queue.
    check(
        "
        established
        write 500
        > P. 1:501(500) ack 1
        < P. 101:201(100) ack 1
        > . 501:501(0) ack 1 <sack 101:201>
        < R 700:700(0)
        > . 501:501(0) ack 1 <sack 101:201>
        state ESTABLISHED
        ",
    );
}

#[test]
fn an_ack_older_than_the_largest_window_is_challenged_and_its_text_dropped() {
    // Section 5.2: SND.UNA - MAX.SND.WND <= SEG.ACK <= SND.NXT.
    check(
        "
        set ack_policy every
        established win 500
        write 500
        > P. 1:501(500) ack 1
        < . 1:1(0) ack 501 win 400
        < P. 1:11(10) ack 1           # exactly MAX.SND.WND old
        > . 501:501(0) ack 11
        < P. 11:21(10) ack 0          # one more
        > . 501:501(0) ack 11
        info receive_queue 10
        info challenge_acks 1
        < P. 11:21(10) ack 502        # of what was never sent
        > . 501:501(0) ack 11
        info receive_queue 10
        info challenge_acks 2
        ",
    );
}

#[test]
fn challenges_are_limited_for_each_connection() {
    // Section 7: no more than 10 in 5 s.
    let challenged = "
        < R 500:500(0)
        > . 1:1(0) ack 1";
    let ignored = "
        < R 500:500(0)
        < S 500:500(0)
        < . 1:1(0) ack 9999";
    let script = ["5 established", &challenged.repeat(10), ignored, "\n +5 quiet", challenged];
    check(&script.concat());
}

#[test]
fn half_open_connections_and_time_wait_have_limits_of_their_own() {
    for state in [SYN_RECEIVED, TIME_WAIT] {
        let challenged = "
            < . {peer+20000}:{peer+20000}(0) ack {our}
            > . {our}:{our}(0) ack {peer}";
        let ignored = "
            < . {peer+20000}:{peer+20000}(0) ack {our}";
        state.then(&[&challenged.repeat(10), ignored].concat());
    }
}
