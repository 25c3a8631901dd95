//! Calls as scripts write them.

use crate::table::{Answer, Table};
use crate::words::{event, events, field, option};
use ackclock_testkit::script::{OUR_STREAM, PEER_STREAM};
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::str::FromStr;
use std::sync::{Arc, Mutex};

/// Keys of Fast Open cookies (linux/tcp.h).
const TCP_FASTOPEN_KEY: i32 = 33;

/// What the calls of a script share.
#[derive(Clone)]
pub(crate) struct Caller {
    pub(crate) library: Table,
    pub(crate) local: SocketAddr,
    pub(crate) remote: SocketAddr,
    shared: Arc<Mutex<Shared>>,
}

#[derive(Default)]
struct Shared {
    descriptors: BTreeMap<String, i32>,
    /// Those that are still open.
    open: BTreeSet<i32>,
    /// Bytes written and read of each descriptor's streams.
    written: BTreeMap<i32, u64>,
    read: BTreeMap<i32, u64>,
}

impl Caller {
    pub(crate) fn new(library: Table, local: SocketAddr, remote: SocketAddr) -> Self {
        Caller { library, local, remote, shared: Arc::default() }
    }

    pub(crate) fn name(&self, name: &str, descriptor: i32) {
        let mut shared = self.shared.lock().expect("no thread has failed");
        shared.descriptors.insert(name.into(), descriptor);
        shared.open.insert(descriptor);
        shared.written.insert(descriptor, 0);
        shared.read.insert(descriptor, 0);
    }

    pub(crate) fn descriptor(&self, name: &str) -> Result<i32, String> {
        let shared = self.shared.lock().expect("no thread has failed");
        match shared.descriptors.get(name) {
            Some(descriptor) => Ok(*descriptor),
            None => name.parse().map_err(|_| format!("`{name}` was not opened")),
        }
    }

    /// Closes what the script has left open, behind the library's back as packetdrill does.
    pub(crate) fn close_all(&self) {
        let mut shared = self.shared.lock().expect("no thread has failed");
        for descriptor in std::mem::take(&mut shared.open) {
            // SAFETY: the library's descriptors are the kernel's, and nobody else closes this one.
            unsafe { libc::close(descriptor) };
        }
    }

    /// Calls the library; the answer, and what it has to be if the script does not say.
    pub(crate) fn call(&self, words: &[&str]) -> Result<(Answer, isize), String> {
        let Caller { library, .. } = *self;
        let answer = match *words {
            ["socket", ref rest @ ..] => {
                let domain = if rest.contains(&"v6") { libc::AF_INET6 } else { libc::AF_INET };
                let flags = if rest.contains(&"nonblock") { libc::SOCK_NONBLOCK } else { 0 };
                let kind = if rest.contains(&"raw") { libc::SOCK_RAW } else { libc::SOCK_STREAM };
                library.socket(domain, kind | flags, 0)
            }
            ["bind", fd] => {
                let address = sockaddr(self.local);
                library.bind(self.descriptor(fd)?, address.as_ptr(), address.len() as u32)
            }
            ["listen", fd, backlog] => library.listen(self.descriptor(fd)?, number(backlog)?),
            ["accept", fd] => {
                let (mut address, mut len) = ([0; 28], 28);
                let fd = self.descriptor(fd)?;
                let answer = library.accept(fd, address.as_mut_ptr(), &mut len);
                let ip = sockaddr(self.remote);
                let same = |range: std::ops::Range<usize>| address[range.clone()] == ip[range];
                let is_peer = len as usize == ip.len() && same(0..2) && same(4..ip.len());
                if answer.is_ok() && !is_peer {
                    return Err(format!("accept answered the address {address:?}"));
                }
                answer
            }
            ["connect", fd] => {
                let address = sockaddr(self.remote);
                library.connect(self.descriptor(fd)?, address.as_ptr(), address.len() as u32)
            }
            ["read", fd, n, ref flags @ ..] => {
                return self.read(self.descriptor(fd)?, number(n)?, message_flags(flags)?);
            }
            ["write", fd, n, ref flags @ ..] => {
                return self.write(self.descriptor(fd)?, number(n)?, message_flags(flags)?);
            }
            ["close", fd] => {
                let fd = self.descriptor(fd)?;
                self.shared.lock().expect("no thread has failed").open.remove(&fd);
                library.close(fd)
            }
            ["shutdown", fd, how] => {
                let how = ["rd", "wr", "rdwr"].iter().position(|name| *name == how);
                let how = how.ok_or("shut down rd, wr or rdwr")?;
                library.shutdown(self.descriptor(fd)?, how as i32)
            }
            ["nonblock", fd, on] => {
                let flags = if on == "on" { libc::O_NONBLOCK } else { 0 };
                library.fcntl(self.descriptor(fd)?, libc::F_SETFL, flags)
            }
            ["set", fd, "SO_LINGER", seconds] => {
                let on = i32::from(seconds != "off");
                let seconds: i32 = if on == 1 { number(seconds)? } else { 0 };
                let value = [on.to_ne_bytes(), seconds.to_ne_bytes()].concat();
                let fd = self.descriptor(fd)?;
                library.setsockopt(fd, libc::SOL_SOCKET, libc::SO_LINGER, value.as_ptr(), 8)
            }
            ["set", fd, "SO_RCVTIMEO", millis] => {
                let millis: i64 = number(millis)?;
                let value = [(millis / 1000).to_ne_bytes(), (millis % 1000 * 1000).to_ne_bytes()];
                let (fd, value) = (self.descriptor(fd)?, value.concat());
                library.setsockopt(fd, libc::SOL_SOCKET, libc::SO_RCVTIMEO, value.as_ptr(), 16)
            }
            ["set", fd, "TCP_FASTOPEN_KEY", key] => {
                let key = hexadecimal(key)?;
                let (fd, len) = (self.descriptor(fd)?, key.len() as u32);
                library.setsockopt(fd, libc::IPPROTO_TCP, TCP_FASTOPEN_KEY, key.as_ptr(), len)
            }
            ["set", fd, "TCP_CONGESTION", name] => {
                let (fd, len) = (self.descriptor(fd)?, name.len() as u32);
                let (level, option) = (libc::IPPROTO_TCP, libc::TCP_CONGESTION);
                library.setsockopt(fd, level, option, name.as_ptr(), len)
            }
            ["set", fd, name, value] => {
                let ((level, name), value) = (option(name)?, number::<i32>(value)?.to_ne_bytes());
                library.setsockopt(self.descriptor(fd)?, level, name, value.as_ptr(), 4)
            }
            ["get", fd, name] => {
                let ((level, name), mut value, mut len) = (option(name)?, [0; 4], 4);
                let fd = self.descriptor(fd)?;
                let answer = library.getsockopt(fd, level, name, value.as_mut_ptr(), &mut len);
                answer.map(|_| i32::from_ne_bytes(value) as isize)
            }
            // How many bytes an option has.
            ["size", fd, name] => {
                let ((level, name), mut value, mut len) = (option(name)?, [0; 64], 64);
                let fd = self.descriptor(fd)?;
                let answer = library.getsockopt(fd, level, name, value.as_mut_ptr(), &mut len);
                answer.map(|_| len as isize)
            }
            // One of the numbers of SO_MEMINFO.
            ["memory", fd, index] => {
                let ((level, name), mut value, mut len) = (option("SO_MEMINFO")?, [0; 64], 64);
                let fd = self.descriptor(fd)?;
                let answer = library.getsockopt(fd, level, name, value.as_mut_ptr(), &mut len);
                let index: usize = number(index)?;
                let bytes = value.chunks_exact(4).nth(index).ok_or("no number of SO_MEMINFO")?;
                let told = bytes.try_into().map_or(0, u32::from_ne_bytes);
                answer.map(|_| told as isize)
            }
            // A number of TCP_INFO.
            ["info", fd, name] => {
                let (offset, len) = field(name).ok_or("no field that scripts know")?;
                let (mut value, mut room) = ([0; 248], 248);
                let (level, option) = (libc::IPPROTO_TCP, libc::TCP_INFO);
                let fd = self.descriptor(fd)?;
                let answer = library.getsockopt(fd, level, option, value.as_mut_ptr(), &mut room);
                let mut number = [0; 8];
                number[..len].copy_from_slice(&value[offset..offset + len]);
                answer.map(|_| i64::from_le_bytes(number) as isize)
            }
            ["ioctl", fd, name] => {
                let request = match name {
                    "SIOCINQ" => libc::FIONREAD,
                    "SIOCOUTQ" => libc::TIOCOUTQ,
                    "SIOCOUTQNSD" => 0x894B,
                    "SIOCATMARK" => 0x8905,
                    _ => return Err(format!("`{name}` is no request")),
                };
                let mut value = 0;
                let answer = library.ioctl(self.descriptor(fd)?, request, &mut value);
                answer.map(|_| value as isize)
            }
            // The answer is the events.
            ["poll", fd, asked, timeout] => {
                let (fd, events) = (self.descriptor(fd)?, events(asked)? as i16);
                let mut one = libc::pollfd { fd, events, revents: 0 };
                library.poll(&mut one, 1, number(timeout)?).map(|_| one.revents as isize)
            }
            ["epoll"] => library.epoll_create(1),
            ["watch", epoll, ref how @ .., fd, asked] => {
                let operation = match how {
                    [] => libc::EPOLL_CTL_ADD,
                    _ => libc::EPOLL_CTL_MOD,
                };
                let fd = self.descriptor(fd)?;
                let mut event = libc::epoll_event { events: events(asked)?, u64: fd as u64 };
                library.epoll_ctl(self.descriptor(epoll)?, operation, fd, &mut event)
            }
            ["unwatch", epoll, fd] => {
                let (epoll, fd) = (self.descriptor(epoll)?, self.descriptor(fd)?);
                library.epoll_ctl(epoll, libc::EPOLL_CTL_DEL, fd, std::ptr::null_mut())
            }
            // The answer is the events of the only one that is ready.
            ["epoll_wait", epoll, timeout] => {
                let mut one = [libc::epoll_event { events: 0, u64: 0 }; 2];
                let epoll = self.descriptor(epoll)?;
                let answer = library.epoll_wait(epoll, one.as_mut_ptr(), 2, number(timeout)?);
                answer.map(|_| one[0].events as isize)
            }
            _ => return self.other_call(words),
        };
        Ok((answer, 0))
    }

    fn read(&self, fd: i32, len: usize, flags: i32) -> Result<(Answer, isize), String> {
        let mut bytes = vec![0; len];
        let answer = match flags {
            0 => self.library.read(fd, bytes.as_mut_ptr(), len),
            _ => self.library.recv(fd, bytes.as_mut_ptr(), len, flags),
        };
        self.check_read(fd, &bytes, answer, flags)
    }

    /// What was read are the next bytes of the peer's stream.
    pub(crate) fn check_read(
        &self,
        fd: i32,
        bytes: &[u8],
        answer: Answer,
        flags: i32,
    ) -> Result<(Answer, isize), String> {
        let mut shared = self.shared.lock().expect("no thread has failed");
        if let Ok(n) = answer {
            let read = shared.read.entry(fd).or_default();
            if let Some(at) = PEER_STREAM.first_mismatch(*read, &bytes[..n as usize]) {
                return Err(format!("byte {} of the peer's stream is wrong", *read + at as u64));
            }
            *read += if flags & libc::MSG_PEEK == 0 { n as u64 } else { 0 };
        }
        Ok((answer, bytes.len() as isize))
    }

    /// Some bytes of the peer's stream are never read.
    pub(crate) fn skip(&self, fd: i32, len: u64) {
        let mut shared = self.shared.lock().expect("no thread has failed");
        *shared.read.entry(fd).or_default() += len;
    }

    fn write(&self, fd: i32, len: usize, flags: i32) -> Result<(Answer, isize), String> {
        self.write_by(fd, len, |bytes| match flags {
            0 => self.library.write(fd, bytes.as_ptr(), len),
            _ => self.library.send(fd, bytes.as_ptr(), len, flags),
        })
    }

    /// Writes the next bytes of our stream by a call of the library.
    pub(crate) fn write_by(
        &self,
        fd: i32,
        len: usize,
        call: impl FnOnce(&[u8]) -> Answer,
    ) -> Result<(Answer, isize), String> {
        let mut bytes = vec![0; len];
        let written = || self.shared.lock().expect("no thread has failed");
        OUR_STREAM.fill(*written().written.entry(fd).or_default(), &mut bytes);
        let answer = call(&bytes);
        *written().written.entry(fd).or_default() += answer.unwrap_or(0) as u64;
        Ok((answer, len as isize))
    }
}

/// `sockaddr_in` or `sockaddr_in6`.
pub(crate) fn sockaddr(address: SocketAddr) -> Vec<u8> {
    let port = address.port().to_be_bytes();
    match address {
        SocketAddr::V4(address) => {
            let family = (libc::AF_INET as u16).to_ne_bytes();
            [&family[..], &port, &address.ip().octets(), &[0; 8]].concat()
        }
        SocketAddr::V6(address) => {
            let family = (libc::AF_INET6 as u16).to_ne_bytes();
            [&family[..], &port, &[0; 4], &address.ip().octets(), &[0; 4]].concat()
        }
    }
}

pub(crate) fn message_flags(names: &[&str]) -> Result<i32, String> {
    names.iter().try_fold(0, |flags, name| {
        Ok(flags
            | match *name {
                "peek" => libc::MSG_PEEK,
                "dontwait" => libc::MSG_DONTWAIT,
                "waitall" => libc::MSG_WAITALL,
                "more" => libc::MSG_MORE,
                "oob" => libc::MSG_OOB,
                "fastopen" => libc::MSG_FASTOPEN,
                "eor" => libc::MSG_EOR,
                "zerocopy" => libc::MSG_ZEROCOPY,
                _ => return Err(format!("`{name}` is no flag")),
            })
    })
}

/// A result that is written: a number or events.
pub(crate) fn result(text: &str) -> Result<isize, String> {
    match event(text.split('|').next().unwrap_or_default()) {
        Some(_) => Ok(events(text)? as isize),
        None => number(text),
    }
}

/// Bytes of which each is two hexadecimal digits.
fn hexadecimal(text: &str) -> Result<Vec<u8>, String> {
    let (pairs, _) = text.as_bytes().as_chunks::<2>();
    let pairs = pairs.iter().filter_map(|pair| std::str::from_utf8(pair).ok());
    pairs.map(|pair| u8::from_str_radix(pair, 16).map_err(|error| error.to_string())).collect()
}

pub(crate) fn number<N: FromStr>(text: &str) -> Result<N, String> {
    text.parse().map_err(|_| format!("`{text}` is no number that fits here"))
}
