//! What every player of these scripts does alike. The player of the kernel uses this file too.

use crate::calls::{Caller, result};
use crate::table::Answer;
use crate::words::errno;
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
        let shown = answer.map_err(std::io::Error::from_raw_os_error);
        if as_expected { Ok(()) } else { Err(format!("it answered {shown:?}")) }
    }
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
