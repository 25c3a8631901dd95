//! More calls as scripts write them: pipes, and reading and writing in parts.

use crate::calls::{Caller, message_flags, number, sockaddr};
use crate::table::Answer;
use libc::{iovec, msghdr};
use std::ptr::null_mut;

/// Two parts of a buffer.
pub(crate) fn halves(bytes: &mut [u8]) -> [iovec; 2] {
    let (first, second) = bytes.split_at_mut(bytes.len() / 3);
    [first, second].map(|part| iovec { iov_base: part.as_mut_ptr().cast(), iov_len: part.len() })
}

pub(crate) fn message(parts: &mut [iovec; 2]) -> msghdr {
    msghdr {
        msg_name: null_mut(),
        msg_namelen: 0,
        msg_iov: parts.as_mut_ptr(),
        msg_iovlen: parts.len(),
        msg_control: null_mut(),
        msg_controllen: 0,
        msg_flags: 0,
    }
}

impl Caller {
    /// | step | means |
    /// | --- | --- |
    /// | `pipe p` | makes `p.r` and `p.w` |
    /// | `splice A B N [more] [nonblock] [offset] [zero]` | moves N bytes from A to B |
    /// | `readv`, `recvfrom`, `recvmsg` | as `read` |
    /// | `writev`, `sendto`, `sendmsg` | as `write` |
    /// | `take p.r N` | as `read`, whatever the bytes |
    /// | `law c NAME` | the window law is this |
    /// | `skipped c N` | so many bytes of the peer's stream are never read |
    /// | `notice c` | answers the next message of the error queue: its info and its data, as `I * 100000 + D`; for times the key in place of the data |
    /// | `left c N` | reads N bytes with `recvmsg`; answers how many it tells are left (TCP_INQ) |
    /// | `first e is NAME` | `epoll_wait` for one event tells of this descriptor |
    pub(crate) fn other_call(&self, words: &[&str]) -> Result<(Answer, isize), String> {
        let library = self.library;
        let answer = match *words {
            ["pipe", name] => {
                let mut ends = [0; 2];
                let answer = library.pipe(ends.as_mut_ptr());
                self.name(&format!("{name}.r"), ends[0]);
                self.name(&format!("{name}.w"), ends[1]);
                answer
            }
            ["splice", from, to, n, ref how @ ..] => {
                let bit = |word, bit: u32| if how.contains(&word) { bit } else { 0 };
                let flags = bit("nonblock", 2) | bit("more", 4);
                let mut offset = if how.contains(&"zero") { 0 } else { 1 };
                let is_given = how.contains(&"offset") || how.contains(&"zero");
                let offset = if is_given { &raw mut offset } else { null_mut() };
                let (from, to) = (self.descriptor(from)?, self.descriptor(to)?);
                let n: usize = number(n)?;
                return Ok((library.splice(from, offset, to, null_mut(), n, flags), n as isize));
            }
            ["readv" | "recvfrom" | "recvmsg", fd, n, ref flags @ ..] => {
                let (fd, flags) = (self.descriptor(fd)?, message_flags(flags)?);
                let mut bytes = vec![0; number(n)?];
                let mut parts = halves(&mut bytes);
                let mut len = 16;
                let answer = match words[0] {
                    "readv" => library.readv(fd, parts.as_ptr(), 2),
                    "recvmsg" => library.recvmsg(fd, &mut message(&mut parts), flags),
                    _ => {
                        let (to, n) = (bytes.as_mut_ptr(), bytes.len());
                        library.recvfrom(fd, to, n, flags, null_mut(), &mut len)
                    }
                };
                return self.check_read(fd, &bytes, answer, flags);
            }
            ["writev" | "sendto" | "sendmsg", fd, n, ref flags @ ..] => {
                let (fd, flags) = (self.descriptor(fd)?, message_flags(flags)?);
                return self.write_by(fd, number(n)?, |bytes| {
                    let mut bytes = bytes.to_vec();
                    let mut parts = halves(&mut bytes);
                    let remote = sockaddr(self.remote);
                    match words[0] {
                        "writev" => library.writev(fd, parts.as_ptr(), 2),
                        "sendmsg" => library.sendmsg(fd, &message(&mut parts), flags),
                        _ => {
                            let (remote, len) = (remote.as_ptr(), remote.len() as u32);
                            library.sendto(fd, bytes.as_ptr(), bytes.len(), flags, remote, len)
                        }
                    }
                });
            }
            ["take", fd, n] => {
                let mut bytes = vec![0; number(n)?];
                let answer = library.read(self.descriptor(fd)?, bytes.as_mut_ptr(), bytes.len());
                return Ok((answer, bytes.len() as isize));
            }
            ["law", fd, name] => {
                let (mut value, mut len) = ([0; 16], 16);
                let (level, option) = (libc::IPPROTO_TCP, libc::TCP_CONGESTION);
                let fd = self.descriptor(fd)?;
                let answer = library.getsockopt(fd, level, option, value.as_mut_ptr(), &mut len);
                let told = String::from_utf8_lossy(&value).trim_end_matches('\0').to_owned();
                if told != name {
                    return Err(format!("the law is {told}"));
                }
                answer
            }
            ["notice", fd] => {
                let fd = self.descriptor(fd)?;
                let answer = self.receive_control(fd, 0, libc::MSG_ERRQUEUE);
                // The last control message is the error's: its numbers stand before an address.
                let told = |control: Vec<u8>| {
                    let numbers = &control[control.len() - 24..];
                    i32_at(numbers, 0) as isize * 100_000 + i32_at(numbers, 4) as isize
                };
                return Ok((answer.map(told), 0));
            }
            ["left", fd, n] => {
                let fd = self.descriptor(fd)?;
                let n = number(n)?;
                self.skip(fd, n as u64);
                let answer = self.receive_control(fd, n, 0);
                return Ok((answer.map(|control| i32_at(&control, 16) as isize), 0));
            }
            ["skipped", fd, n] => {
                self.skip(self.descriptor(fd)?, number(n)?);
                Ok(0)
            }
            ["first", epoll, "is", name] => {
                let mut one = libc::epoll_event { events: 0, u64: 0 };
                let answer = library.epoll_wait(self.descriptor(epoll)?, &mut one, 1, 0);
                let told = one.u64;
                if told != self.descriptor(name)? as u64 {
                    return Err(format!("it tells of {told}"));
                }
                answer.map(|_| 0)
            }
            _ => return Err(format!("`{}` is no step", words.join(" "))),
        };
        Ok((answer, 0))
    }

    /// `recvmsg` with room for control messages; those.
    fn receive_control(&self, fd: i32, n: usize, flags: i32) -> Result<Vec<u8>, i32> {
        let mut bytes = vec![0; n];
        let mut parts = halves(&mut bytes);
        let mut control = [0_u64; 32];
        let mut message = message(&mut parts);
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = size_of_val(&control);
        self.library.recvmsg(fd, &mut message, flags)?;
        let bytes = control.iter().flat_map(|word| word.to_ne_bytes());
        Ok(bytes.take(message.msg_controllen).collect())
    }
}

fn i32_at(bytes: &[u8], at: usize) -> i32 {
    i32::from_ne_bytes(*bytes[at..].first_chunk().expect("a number"))
}
