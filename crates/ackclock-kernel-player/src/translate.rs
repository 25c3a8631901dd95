//! Scripts of the testkit, whose calls are the stack's own, as scripts of socket calls.
//!
//! Settings become flags and options; what is called `connect`, `listen` and so on becomes the calls of a socket. What a kernel
//! cannot be asked for makes a script unplayable; a number that it does not tell is left out, as a comment.

use ackclock_testkit::script::When;
use std::fmt::Write;

/// What a script of the testkit is opened with, in the words of the library.
struct Translation {
    flags: Vec<String>,
    /// Options of connections.
    options: Vec<String>,
    mss: Option<u32>,
    sack: bool,
    window_scaling: bool,
    timestamps: bool,
    fast_open: bool,
    is_closed: bool,
    /// Bytes of a write that waits for the handshake.
    waiting: Option<String>,
    /// Milliseconds since the script began.
    elapsed: u64,
    text: String,
}

/// The script of socket calls; it begins with `unplayable REASON` where there is none.
pub(crate) fn translate(script: &str) -> String {
    let mut translation = Translation {
        flags: vec!["rmem=10000".into()],
        options: Vec::new(),
        mss: Some(1_000),
        sack: true,
        window_scaling: false,
        timestamps: false,
        fast_open: false,
        is_closed: false,
        waiting: None,
        elapsed: 0,
        text: String::new(),
    };
    for line in script.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if let Err(reason) = translation.line(line) {
            return format!("unplayable {reason}\n");
        }
    }
    let Translation { flags, text, .. } = translation;
    let mut script = String::from("testkit\n");
    for flag in flags {
        let _ = writeln!(script, "flags {flag}");
    }
    script + &text
}

impl Translation {
    fn line(&mut self, line: &str) -> Result<(), String> {
        if line.is_empty() {
            return Ok(());
        }
        let (when, step) = When::split(line)?;
        let time = line[..line.len() - step.len()].trim_end();
        match when {
            When::After(after) => self.elapsed += after.as_millis(),
            When::At(at) => self.elapsed = at.as_millis(),
        }
        let words: Vec<&str> = step.split_whitespace().collect();
        let calls = match words[..] {
            [">", flags, ..] if self.waiting.is_some() && !flags.contains('S') => {
                let n = self.waiting.take().unwrap_or_default();
                vec![step.to_owned(), format!("done = {n}"), "nonblock c on".into()]
            }
            [">" | "<" | "icmp" | "quiet", ..] => vec![step.to_owned()],
            ["set", ref setting @ ..] => {
                self.set(setting).ok_or_else(|| format!("the kernel has no `{step}`"))?;
                return Ok(());
            }
            _ => self.call(&words).ok_or_else(|| format!("the kernel has no `{step}`"))?,
        };
        for (n, call) in calls.iter().enumerate() {
            let time = if n == 0 { time } else { "" };
            let _ = writeln!(self.text, "{}", format!("{time} {call}").trim());
        }
        if calls.is_empty() && !time.is_empty() {
            let _ = writeln!(self.text, "{time} quiet # {step}");
        }
        Ok(())
    }

    fn set(&mut self, words: &[&str]) -> Option<()> {
        let on = words.get(1) == Some(&"on");
        let flag = match *words {
            ["timestamps", value] => {
                self.timestamps = on;
                format!("timestamps={value}")
            }
            ["window_scaling", value] => {
                self.window_scaling = on;
                format!("wscale={value}")
            }
            ["sack", value] => {
                self.sack = on;
                format!("sack={value}")
            }
            ["ecn", mode] => format!("ecn={mode}"),
            ["recovery", name @ ("rack" | "rfc6675" | "newreno")] => format!("recovery={name}"),
            ["law", name] => format!("cc={name}"),
            ["mtu", bytes] => format!("mtu={bytes}"),
            ["mss", "link"] => {
                self.mss = None;
                return Some(());
            }
            ["mss", bytes] => {
                self.mss = bytes.parse().ok();
                return Some(());
            }
            ["initial_window", segments] => format!("iw={segments}"),
            ["receive_buffer", bytes] => format!("rmem={bytes}"),
            ["mtu_probing", mode] => format!("mtu_probing={mode}"),
            ["base_mss", bytes] => format!("base_mss={bytes}"),
            ["send_buffer", bytes] => format!("wmem={bytes}"),
            ["nagle", "minshall"]
            | ["pacing", "off"]
            | ["ack_policy", "delayed", "0.04" | "0.040", "0"] => {
                return Some(());
            }
            ["nagle", "off"] => {
                self.options.push("set c TCP_NODELAY 1".into());
                return Some(());
            }
            ["ack_policy", "every"] => "quickack=always".into(),
            ["ack_policy", "delayed", "0.04", first] => format!("quickack={first}"),
            // Retransmissions are counted, and come after 1, 3, 7 s and so on.
            ["syn_give_up", seconds] => {
                let retries = (seconds.parse::<u32>().ok()? + 1).checked_ilog2()?;
                format!("syn_retries={retries}")
            }
            ["md5_key", digits] => format!("md5_digits={digits}"),
            ["fast_open_key", digits] if digits.len() == 32 => {
                let groups = [0, 8, 16, 24].map(|at| &digits[at..at + 8]);
                format!("fastopen_key={}", groups.join("-"))
            }
            ["rto", "1" | "1.0", least, _] => format!("rto_min={}", millis(least)?),
            ["fast_open", mode] => {
                self.fast_open = mode != "off";
                // Clients and listeners, with cookies or without.
                let bits = match mode {
                    "off" => "0",
                    "without-cookie" => "0x207",
                    _ => "3",
                };
                format!("fastopen={bits}")
            }
            ["keepalive", idle, interval, count] => {
                for (name, value) in [
                    ("TCP_KEEPIDLE", idle),
                    ("TCP_KEEPINTVL", interval),
                    ("TCP_KEEPCNT", count),
                    ("SO_KEEPALIVE", "1"),
                ] {
                    self.options.push(format!("set c {name} {value}"));
                }
                return Some(());
            }
            ["user_timeout", time] => {
                self.options.push(format!("set c TCP_USER_TIMEOUT {}", millis(time)?));
                return Some(());
            }
            ["fin_wait_2_timeout", time] => format!("fin_timeout={}", millis(time)?),
            _ => return None,
        };
        self.flags.push(flag);
        Some(())
    }

    /// The calls for one; none if a kernel has nothing like it, an empty list if it is nothing that it tells.
    fn call(&mut self, words: &[&str]) -> Option<Vec<String>> {
        let one = |call: String| Some(vec![call]);
        if self.is_closed && matches!(words[0], "state" | "info" | "error") {
            return Some(Vec::new());
        }
        match *words {
            ["connect"] => Some(self.connect("connect c = EINPROGRESS")),
            // Without a cookie that is needed the call opens and takes nothing.
            ["connect", "with", n] if self.fast_open => {
                let needs_cookie = self.flags.contains(&"fastopen=3".to_owned());
                let answer = if needs_cookie { " = EINPROGRESS" } else { "" };
                Some(self.connect(&format!("sendto c {n} fastopen{answer}")))
            }
            // What is queued before the handshake is what a call writes that waits for it.
            ["connect", "with", n] => {
                self.waiting = Some(n.to_owned());
                let mut calls = self.connect("connect c = EINPROGRESS");
                calls.extend(["nonblock c off".into(), format!("start write c {n}")]);
                Some(calls)
            }
            ["listen"] => Some(self.listen()),
            ["accept"] => Some(self.accept()),
            ["established", ref rest @ ..] => self.establish(rest),
            ["write", n] => one(format!("write c {n}")),
            ["write", n, "takes", "0"] => one(format!("write c {n} = EAGAIN")),
            ["write", n, "takes", taken] => one(format!("write c {n} = {taken}")),
            ["urgent", n] => one(format!("write c {n} oob")),
            ["read", "0"] => Some(Vec::new()),
            ["read", "end"] => one("read c 1 = 0".into()),
            ["read", n] => one(format!("read c {n}")),
            ["shutdown"] => one("shutdown c wr".into()),
            ["close"] => {
                self.is_closed = true;
                one("close c".into())
            }
            ["abort"] => {
                self.is_closed = true;
                Some(vec!["set c SO_LINGER 0".into(), "close c".into()])
            }
            ["user_timeout", time] => one(format!("set c TCP_USER_TIMEOUT {}", millis(time)?)),
            ["nagle", "off"] => one("set c TCP_NODELAY 1".into()),
            // What Linux sends of it at once, though it is corked.
            ["push"] => Some([1, 0].map(|on| format!("set c TCP_NODELAY {on}")).into()),
            ["nagle", "minshall"] => one("set c TCP_NODELAY 0".into()),
            ["cork", value] => one(format!("set c TCP_CORK {}", u8::from(value == "on"))),
            ["state", name] => Some(state(name).into_iter().collect()),
            ["error", name] => Some(error(name).into_iter().collect()),
            ["info", name, value] => Some(self.info(name, value).into_iter().collect()),
            ["urgent_ahead", _] => Some(Vec::new()),
            _ => None,
        }
    }

    fn connect(&self, call: &str) -> Vec<String> {
        let mut calls = vec!["socket nonblock = fd c".to_owned()];
        calls.extend(self.mss.map(|mss| format!("set c TCP_MAXSEG {mss}")));
        calls.extend(self.options.clone());
        calls.push(call.into());
        calls
    }

    fn listen(&self) -> Vec<String> {
        let mut calls = vec!["socket nonblock = fd s".to_owned()];
        calls.extend(self.mss.map(|mss| format!("set s TCP_MAXSEG {mss}")));
        calls.extend(self.fast_open.then(|| "set s TCP_FASTOPEN 5".to_owned()));
        calls.extend(["bind s".to_owned(), "listen s 5".to_owned()]);
        calls
    }

    fn accept(&self) -> Vec<String> {
        let mut calls = vec!["accept s = fd c".to_owned(), "nonblock c on".to_owned()];
        calls.extend(self.options.clone());
        calls
    }

    /// A whole handshake. `skip` takes whatever the kernel sends.
    fn establish(&mut self, words: &[&str]) -> Option<Vec<String>> {
        let (passive, words) = match *words {
            ["passive", ref rest @ ..] => (true, rest),
            ref rest => (false, rest),
        };
        let window = match *words {
            [] => String::new(),
            ["win", bytes] => format!(" win {bytes}"),
            _ => return None,
        };
        let began = 1_000 + self.elapsed;
        self.elapsed += 10;
        let stamp = |echo: u64| match self.timestamps {
            true => format!("TS val 100 ecr {echo}"),
            false => String::new(),
        };
        let options = |echo: u64| {
            let mut options = vec!["mss 1000".to_owned()];
            options.extend(self.sack.then(|| "sackOK".to_owned()));
            options.extend(self.window_scaling.then(|| "wscale 0".to_owned()));
            options.extend(self.timestamps.then(|| stamp(echo)));
            options.join(",")
        };
        let mut calls;
        if passive {
            calls = self.listen();
            calls.push(format!("< S 0:0(0){window} <{}>", options(0)));
            calls.push("skip".into());
            let stamp = match self.timestamps {
                true => format!(" <{}>", stamp(began)),
                false => String::new(),
            };
            calls.push(format!("+0.01 < . 1:1(0) ack 1{stamp}"));
            calls.extend(self.accept());
        } else {
            calls = self.connect("connect c = EINPROGRESS");
            calls.push("skip".into());
            calls.push(format!("+0.01 < S. 0:0(0) ack 1{window} <{}>", options(began)));
            calls.push("skip".into());
        }
        Some(calls)
    }

    /// A number that TCP_INFO or a request of a socket tells.
    fn info(&self, name: &str, value: &str) -> Option<String> {
        let number: u64 = value.parse().ok()?;
        let segments = |bytes: u64| {
            (self.mss == Some(1_000) && bytes.is_multiple_of(1_000)).then_some(bytes / 1_000)
        };
        Some(match name {
            "cwnd" => format!("info c snd_cwnd = {}", segments(number)?),
            "ssthresh" if number == u64::from(u32::MAX) => {
                "info c snd_ssthresh = 2147483647".into()
            }
            "ssthresh" => format!("info c snd_ssthresh = {}", segments(number)?),
            "send_window" => format!("info c snd_wnd = {number}"),
            "pmtu" => format!("info c pmtu = {number}"),
            "mss" => format!("info c snd_mss = {number}"),
            "backoff" => format!("info c backoff = {number}"),
            "bytes_acked" => format!("info c bytes_acked = {number}"),
            "bytes_received" => format!("info c bytes_received = {number}"),
            "receive_queue" => format!("ioctl c SIOCINQ = {number}"),
            "send_queue" => format!("ioctl c SIOCOUTQ = {number}"),
            _ => return None,
        })
    }
}

/// Seconds as milliseconds.
fn millis(text: &str) -> Option<u64> {
    match When::split(text) {
        Ok((When::At(time), _)) => Some(time.as_millis()),
        _ => None,
    }
}

/// A state by its number in TCP_INFO. What is closed, and what waits in TIME-WAIT, has the same.
fn state(name: &str) -> Option<String> {
    let names = [
        "ESTABLISHED",
        "SYN-SENT",
        "SYN-RECEIVED",
        "FIN-WAIT-1",
        "FIN-WAIT-2",
        "TIME-WAIT",
        "CLOSED",
        "CLOSE-WAIT",
        "LAST-ACK",
        "LISTEN",
        "CLOSING",
    ];
    let number = names.iter().position(|known| *known == name)? + 1;
    Some(format!("info c state = {}", if number == 6 { 7 } else { number }))
}

/// Why a connection ended, as SO_ERROR.
fn error(name: &str) -> Option<String> {
    let number = match name {
        "none" => 0,
        "Reset" => libc::ECONNRESET,
        "Refused" => libc::ECONNREFUSED,
        "TimedOut" | "UserTimeout" | "KeepaliveTimeout" => libc::ETIMEDOUT,
        _ => return None,
    };
    Some(format!("get c SO_ERROR = {number}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_the_stack_become_those_of_sockets() {
        let script = "set sack off\nestablished win 500\n+1 write 10\n> P. 1:11(10) ack 1\n+0.5 info cwnd 2000 # two";
        assert_eq!(
            translate(script),
            "testkit\nflags rmem=10000\nflags sack=off\nsocket nonblock = fd c\nset c TCP_MAXSEG 1000\n\
             connect c = EINPROGRESS\nskip\n+0.01 < S. 0:0(0) ack 1 win 500 <mss 1000>\nskip\n\
             +1 write c 10\n> P. 1:11(10) ack 1\n+0.5 info c snd_cwnd = 2\n"
        );
        let script =
            "set md5_key 0102\nset syn_give_up 10\nconnect with 9\n> S 0:0(0)\n> P. 1:10(9) ack 1";
        assert_eq!(
            translate(script),
            "testkit\nflags rmem=10000\nflags md5_digits=0102\nflags syn_retries=3\nsocket nonblock = fd c\n\
             set c TCP_MAXSEG 1000\nconnect c = EINPROGRESS\nnonblock c off\nstart write c 9\n\
             > S 0:0(0)\n> P. 1:10(9) ack 1\ndone = 9\nnonblock c on\n"
        );
        assert_eq!(translate("set msl 1"), "unplayable the kernel has no `set msl 1`\n");
    }
}
