//! What every player of these scripts does alike. The player of the kernel uses this file too.

use crate::calls::{Caller, result};
use crate::table::Answer;
use crate::words::{errno, error_name};
use ackclock_testkit::script::Conversation;
use std::net::SocketAddr;
use std::time::Duration;

/// The library's flags where a script gives none.
pub(crate) const FLAGS: &str = "profile=linux,cc=reno,recovery=newreno,timestamps=off,wscale=off,rmem=60000,\
                                quickack=0,habits=none,judge=on";
pub(crate) const OUR_PORT: u16 = 8080;
pub(crate) const PEER_PORT: u16 = 6000;

/// The lines that `established` stands for.
pub(crate) fn established(is_v6: bool) -> [String; 7] {
    let (socket, mss) = if is_v6 { ("socket v6 = fd s", 1440) } else { ("socket = fd s", 1460) };
    [
        socket.into(),
        "bind s".into(),
        "listen s 5".into(),
        "< S 0:0(0) <mss 1000,sackOK>".into(),
        format!("> S. 0:0(0) ack 1 <mss {mss},sackOK>"),
        "+0.01 < . 1:1(0) ack 1".into(),
        "accept s = fd c".into(),
    ]
}

impl Caller {
    /// Whether a call answered what its line says, or what is usual where it says nothing. A new descriptor gets
    /// its name.
    pub(crate) fn compare(
        &self,
        answer: Answer,
        usual: isize,
        expected: Option<&str>,
    ) -> Result<(), String> {
        let as_expected = match (expected.map(|text| text.split_once(' ')), expected) {
            (Some(Some(("fd", name))), _) => {
                if let Ok(descriptor) = answer {
                    self.name(name, descriptor as i32);
                }
                answer.is_ok()
            }
            (_, None) => answer == Ok(usual),
            (_, Some(text)) => match errno(text) {
                Some(number) => answer == Err(number),
                None => answer == Ok(result(text)?),
            },
        };
        match answer {
            _ if as_expected => Ok(()),
            Ok(answer) => Err(format!("it answered {answer}")),
            Err(number) => match error_name(number) {
                Some(name) => Err(format!("it answered {name}")),
                None => Err(format!("it answered {}", std::io::Error::from_raw_os_error(number))),
            },
        }
    }
}

/// A call and the answer that its line says.
pub(crate) fn split(text: &str) -> (&str, Option<&str>) {
    match text.split_once(" = ") {
        Some((call, expected)) => (call, Some(expected)),
        None => (text, None),
    }
}

/// The conversation with peer `n`, whose port is as much behind the first one's; it begins where `n` is the next.
pub(crate) fn turn_to_peer(
    conversations: &mut Vec<Conversation>,
    n: &str,
) -> Result<usize, String> {
    let next = conversations.len();
    let which: usize = n.parse().map_err(|_| format!("`{n}` is no number of a peer"))?;
    if which > next {
        return Err(format!("there is no peer {which} yet: the next one is {next}"));
    }
    if which == next {
        let Conversation { ours, peers, .. } = conversations[0];
        let port = PEER_PORT + next as u16;
        conversations.push(Conversation::new(ours, SocketAddr::new(peers.ip(), port)));
    }
    Ok(which)
}

/// Waits until the kernel says that a thread sleeps, as packetdrill does.
pub(crate) fn wait_until_asleep(id: i32) -> Result<(), String> {
    let path = format!("/proc/self/task/{id}/stat");
    for _ in 0..10_000 {
        let stat = std::fs::read_to_string(&path).map_err(|_| "the call returned at once")?;
        if stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('S')) {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Err("the call does not sleep".into())
}
