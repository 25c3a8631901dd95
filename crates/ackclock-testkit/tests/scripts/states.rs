//! Scripts that begin in a given state.

use ackclock_testkit::script::check;

/// How a script comes to a state.
pub(crate) struct State {
    /// As RFC 9293 writes it; `None` where no connection can be asked for it.
    name: Option<&'static str>,
    way: &'static str,
    /// SND.NXT there.
    our: i64,
    /// RCV.NXT there.
    peer: i64,
}

/// After a passive open, as a record of a listener.
pub(crate) const SYN_RECEIVED: State = State {
    name: None,
    way: "listen
        < S 0:0(0) <mss 1000,sackOK>
        > S. 0:0(0) ack 1 win 10000 <mss 1000,sackOK>",
    our: 1,
    peer: 1,
};

/// After a simultaneous open.
pub(crate) const SYN_RECEIVED_ACTIVELY: State = State {
    name: Some("SYN-RECEIVED"),
    way: "connect
        > S 0:0(0) <mss 1000,sackOK>
        < S 0:0(0) <mss 1000,sackOK>
        > S. 0:0(0) ack 1 win 10000 <mss 1000,sackOK>",
    our: 1,
    peer: 1,
};

pub(crate) const ESTABLISHED: State =
    State { name: Some("ESTABLISHED"), way: "established", our: 1, peer: 1 };

pub(crate) const FIN_WAIT_1: State = State {
    name: Some("FIN-WAIT-1"),
    way: "established
        shutdown
        > F. 1:1(0) ack 1",
    our: 2,
    peer: 1,
};

pub(crate) const FIN_WAIT_2: State = State {
    name: Some("FIN-WAIT-2"),
    way: "established
        shutdown
        > F. 1:1(0) ack 1
        < . 1:1(0) ack 2",
    our: 2,
    peer: 1,
};

pub(crate) const CLOSE_WAIT: State = State {
    name: Some("CLOSE-WAIT"),
    way: "established
        < F. 1:1(0) ack 1
        > . 1:1(0) ack 2",
    our: 1,
    peer: 2,
};

pub(crate) const CLOSING: State = State {
    name: Some("CLOSING"),
    way: "established
        shutdown
        > F. 1:1(0) ack 1
        < F. 1:1(0) ack 1
        > . 2:2(0) ack 2",
    our: 2,
    peer: 2,
};

pub(crate) const LAST_ACK: State = State {
    name: Some("LAST-ACK"),
    way: "established
        < F. 1:1(0) ack 1
        > . 1:1(0) ack 2
        shutdown
        > F. 1:1(0) ack 2",
    our: 2,
    peer: 2,
};

/// As a record, in which the connection is over for the application.
pub(crate) const TIME_WAIT: State = State {
    name: None,
    way: "established
        shutdown
        > F. 1:1(0) ack 1
        < F. 1:1(0) ack 2
        > . 2:2(0) ack 2",
    our: 2,
    peer: 2,
};

/// In ESTABLISHED, with five segments sent and none acknowledged.
pub(crate) const FIVE_IN_FLIGHT: &str = "established
        write 5000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        > . 2001:3001(1000) ack 1
        > . 3001:4001(1000) ack 1
        > P. 4001:5001(1000) ack 1";

/// The states in which the peer may still send new data.
pub(crate) const RECEIVING: [State; 3] = [ESTABLISHED, FIN_WAIT_1, FIN_WAIT_2];

/// The states in which the peer's FIN has been received, TIME-WAIT excepted.
pub(crate) const FINISHED: [State; 3] = [CLOSE_WAIT, CLOSING, LAST_ACK];

impl State {
    /// Checks a script that begins in this state. `{our}` is SND.NXT, `{peer}` RCV.NXT, `{peer+7}`
    /// seven after it; `{same}` checks that the state is still this one.
    #[track_caller]
    pub(crate) fn then(&self, script: &str) {
        let mut text = String::new();
        let whole = format!("{}\n{script}", self.way);
        let mut parts = whole.split(['{', '}']);
        text.extend(parts.next());
        while let (Some(name), Some(rest)) = (parts.next(), parts.next()) {
            text.push_str(&self.value(name));
            text.push_str(rest);
        }
        check(&text);
    }

    fn value(&self, name: &str) -> String {
        let base = |rest: &str, base: i64| {
            let offset: i64 = if rest.is_empty() { 0 } else { rest.parse().expect("an offset") };
            (base + offset).to_string()
        };
        match (name.strip_prefix("our"), name.strip_prefix("peer")) {
            (Some(rest), _) => base(rest, self.our),
            (_, Some(rest)) => base(rest, self.peer),
            _ => self.name.map_or("quiet".into(), |name| format!("state {name}")),
        }
    }
}
