//! ICMP errors about an open connection (RFC 9293 section 3.9.2.2, RFC 5927); those about a path that
//! is too narrow are in `path_mtu.rs`.

use super::*;
use crate::wire::IcmpErrorKind;

#[test]
fn icmp_errors_count_only_for_what_is_in_flight() {
    let mut test = Test::established(config());
    let next = SeqNumber(ISS + 1);
    assert!(!test.connection.on_icmp_error(test.now, IcmpErrorKind::Refused, next));
    test.queue(0, 1_000);
    test.sent();
    assert!(!test.connection.on_icmp_error(test.now, IcmpErrorKind::Refused, next + 1_000));
    assert!(test.connection.on_icmp_error(test.now, IcmpErrorKind::Refused, next));
    assert_eq!(test.state(), State::Established, "hard errors are soft now (RFC 5927 section 5)");
    assert_eq!(test.info().soft_error, Some(IcmpErrorKind::Refused));
}

/// MUST-56, SHLD-25, SHLD-26: hard errors, which anyone could forge, are soft here too.
#[test]
fn no_icmp_error_ends_an_established_connection() {
    for kind in [
        IcmpErrorKind::Unreachable,
        IcmpErrorKind::TimeExceeded,
        IcmpErrorKind::ParameterProblem,
        IcmpErrorKind::Refused,
    ] {
        let mut test = Test::established(config());
        test.queue(0, 10);
        test.sent();
        assert!(test.connection.on_icmp_error(test.now, kind, SeqNumber(ISS + 1)));
        assert_eq!((test.state(), test.info().soft_error), (State::Established, Some(kind)));
        let mut test = Test::connecting(config());
        test.sent();
        test.connection.on_icmp_error(test.now, kind, SeqNumber(ISS));
        let ended = test.state() == State::Closed;
        assert_eq!(ended, kind == IcmpErrorKind::Refused, "while it is being opened");
    }
}
