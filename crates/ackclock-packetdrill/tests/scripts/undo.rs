//! False alarms: what was taken for lost had only been late.

use crate::player::check;

/// Three segments in flight and three that the window holds back.
const THREE_OF_SIX: &str = "
        established
        write c 6000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        > . 2001:3001(1000) ack 1
";

/// RFC 5682 section 2.1: after a timeout the first ack of new data is answered with new data; when
/// the second one acknowledges what was not sent again, the timeout was spurious, and RFC 4015
/// gives the window back.
#[test]
fn a_spurious_timeout_is_found_by_two_acks() {
    check(&format!(
        "flags iw=3
        {THREE_OF_SIX}
        +0.2 > . 1:1001(1000) ack 1
        info c snd_cwnd = 1
        +0.01 < . 1:1(0) ack 1001
        > . 3001:4001(1000) ack 1
        > . 4001:5001(1000) ack 1
        +0.01 < . 1:1(0) ack 2001
        > P. 5001:6001(1000) ack 1
        info c ca_state = 0
        info c snd_ssthresh = 2147483647
        "
    ));
}

/// RFC 5682 section 2.1 step 3a: a duplicate ack instead means that the rest was lost.
#[test]
fn a_duplicate_ack_confirms_the_timeout() {
    check(&format!(
        "flags iw=3
        {THREE_OF_SIX}
        +0.2 > . 1:1001(1000) ack 1
        +0.01 < . 1:1(0) ack 1001
        > . 3001:4001(1000) ack 1
        > . 4001:5001(1000) ack 1
        +0.01 < . 1:1(0) ack 1001
        > . 1001:2001(1000) ack 1
        info c snd_ssthresh = 2
        "
    ));
}

/// RFC 5682 section 3.1 step 3a with SACK: the new data arrived, what was before them did not.
#[test]
fn a_block_of_new_data_confirms_the_timeout() {
    check(&format!(
        "flags iw=3,recovery=rfc6675
        {THREE_OF_SIX}
        +0.2 > . 1:1001(1000) ack 1
        +0.01 < . 1:1(0) ack 1001
        > . 3001:4001(1000) ack 1
        > . 4001:5001(1000) ack 1
        +0.01 < . 1:1(0) ack 1001 <sack 3001:4001>
        > . 1001:2001(1000) ack 1
        info c snd_ssthresh = 2
        "
    ));
}

/// RFC 5682 section 3.1 step 3b with SACK: a block of what was not sent again shows the originals.
#[test]
fn a_block_of_an_original_shows_a_spurious_timeout() {
    check(&format!(
        "flags iw=3,recovery=rfc6675
        {THREE_OF_SIX}
        +0.2 > . 1:1001(1000) ack 1
        +0.01 < . 1:1(0) ack 1001
        > . 3001:4001(1000) ack 1
        > . 4001:5001(1000) ack 1
        +0.01 < . 1:1(0) ack 1001 <sack 2001:3001>
        info c ca_state = 1
        info c snd_cwnd = 3
        info c snd_ssthresh = 2147483647
        "
    ));
}

/// RFC 3522 section 3.2 (Eifel): the first ack after the timeout echoes the timestamp of the
/// original, so that no second one is needed; RFC 4015 gives the window back.
#[test]
fn a_timestamp_shows_a_spurious_timeout_at_once() {
    check(
        "
        flags timestamps=on,iw=3
        socket = fd s
        bind s
        listen s 1
        < S 0:0(0) <mss 1012,sackOK,TS val 100 ecr 0>
        > S. 0:0(0) ack 1 <mss 1460,sackOK,TS val 1000 ecr 100>
        +0.01 < . 1:1(0) ack 1 <TS val 110 ecr 1000>
        accept s = fd c
        write c 3000
        > . 1:1001(1000) ack 1 <TS val 1010 ecr 110>
        > . 1001:2001(1000) ack 1 <TS val 1010 ecr 110>
        > P. 2001:3001(1000) ack 1 <TS val 1010 ecr 110>
        +0.2 > . 1:1001(1000) ack 1 <TS val 1210 ecr 110>
        info c snd_ssthresh = 2
        +0.01 < . 1:1(0) ack 1001 <TS val 320 ecr 1010>
        info c snd_ssthresh = 2147483647
        info c ca_state = 0
        +0.01 < . 1:1(0) ack 3001 <TS val 330 ecr 1010>
        info c snd_cwnd = 6
        ",
    );
}

/// RFC 3522: an ack for the retransmission echoes the retransmission's timestamp, and proves
/// nothing.
#[test]
fn a_timestamp_confirms_a_timeout() {
    check(
        "
        flags timestamps=on
        socket = fd s
        bind s
        listen s 1
        < S 0:0(0) <mss 1012,sackOK,TS val 100 ecr 0>
        > S. 0:0(0) ack 1 <mss 1460,sackOK,TS val 1000 ecr 100>
        +0.01 < . 1:1(0) ack 1 <TS val 110 ecr 1000>
        accept s = fd c
        write c 2000
        > . 1:1001(1000) ack 1 <TS val 1010 ecr 110>
        > P. 1001:2001(1000) ack 1 <TS val 1010 ecr 110>
        +0.2 > . 1:1001(1000) ack 1 <TS val 1210 ecr 110>
        +0.01 < . 1:1(0) ack 1001 <TS val 320 ecr 1210>
        > P. 1001:2001(1000) ack 1 <TS val 1220 ecr 320>
        info c snd_ssthresh = 2
        ",
    );
}

/// RFC 3708 with RFC 4015: all that fast recovery has sent again arrived twice, so that nothing
/// was lost; the window comes back.
#[test]
fn a_duplicate_of_all_that_went_again_gives_the_window_back() {
    check(
        "
        flags recovery=rfc6675
        established
        write c 5000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        > . 2001:3001(1000) ack 1
        > . 3001:4001(1000) ack 1
        > P. 4001:5001(1000) ack 1
        +0.01 < . 1:1(0) ack 1 <sack 1001:2001>
        < . 1:1(0) ack 1 <sack 1001:3001>
        < . 1:1(0) ack 1 <sack 1001:4001>
        > . 1:1001(1000) ack 1
        info c snd_ssthresh = 2
        +0.002 < . 1:1(0) ack 5001
        +0.008 < . 1:1(0) ack 5001 <sack 1:1001>
        info c snd_ssthresh = 2147483647
        info c snd_cwnd = 10
        ",
    );
}

/// RFC 3708: as long as one retransmission was needed, the window stays as it is.
#[test]
fn one_loss_among_the_duplicates_keeps_the_reduction() {
    check(
        "
        flags recovery=rfc6675
        established
        write c 5000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        > . 2001:3001(1000) ack 1
        > . 3001:4001(1000) ack 1
        > P. 4001:5001(1000) ack 1
        +0.01 < . 1:1(0) ack 1 <sack 2001:3001>
        < . 1:1(0) ack 1 <sack 2001:4001>
        < . 1:1(0) ack 1 <sack 2001:5001>
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        +0.01 < . 1:1(0) ack 5001 <sack 1:1001>
        info c snd_ssthresh = 2
        ",
    );
}
