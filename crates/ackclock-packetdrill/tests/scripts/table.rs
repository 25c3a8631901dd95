//! The library's table of functions as its caller in C sees it. The fuzz target uses this file too.

use libc::{c_char, c_int, c_longlong, c_void, iovec, msghdr, timeval};
use std::ffi::CString;

/// Words in the table.
const WORDS: usize = 33;

/// The exported symbol.
pub(crate) type Init = unsafe extern "C" fn(*const c_char, *mut usize);

/// The table of one stack. Its functions may be called from any thread.
#[derive(Clone, Copy)]
pub(crate) struct Table {
    words: [usize; WORDS],
}

/// What a call answered: its value and, if that is -1, `errno`.
pub(crate) type Answer = Result<isize, i32>;

/// Calls the function in a word of the table with `userdata` and these arguments.
macro_rules! table {
    ($($word:literal $name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)+) => {
        impl Table {
            $(pub(crate) fn $name(&self, $($argument: $type),*) -> Answer {
                type Function = unsafe extern "C" fn(usize $(, $type)*) -> $answer;
                // SAFETY: the word holds a function of this type; the arguments are valid for it.
                let value = unsafe {
                    std::mem::transmute::<usize, Function>(self.words[$word])(
                        self.words[0] $(, $argument)*
                    )
                };
                let errno = || std::io::Error::last_os_error().raw_os_error().unwrap_or(0);
                if value == -1 { Err(errno()) } else { Ok(value as isize) }
            })+
        }
    };
}

table! {
    2 socket(domain: c_int, kind: c_int, protocol: c_int) -> c_int;
    3 bind(fd: c_int, address: *const u8, len: u32) -> c_int;
    4 listen(fd: c_int, backlog: c_int) -> c_int;
    5 accept(fd: c_int, address: *mut u8, len: *mut u32) -> c_int;
    6 connect(fd: c_int, address: *const u8, len: u32) -> c_int;
    7 read(fd: c_int, to: *mut u8, n: usize) -> isize;
    8 readv(fd: c_int, to: *const iovec, n: c_int) -> isize;
    9 recv(fd: c_int, to: *mut u8, n: usize, flags: c_int) -> isize;
    10 recvfrom(
        fd: c_int, to: *mut u8, n: usize, flags: c_int, address: *mut u8, len: *mut u32
    ) -> isize;
    11 recvmsg(fd: c_int, message: *mut msghdr, flags: c_int) -> isize;
    12 write(fd: c_int, from: *const u8, n: usize) -> isize;
    13 writev(fd: c_int, from: *const iovec, n: c_int) -> isize;
    14 send(fd: c_int, from: *const u8, n: usize, flags: c_int) -> isize;
    15 sendto(
        fd: c_int, from: *const u8, n: usize, flags: c_int, address: *const u8, len: u32
    ) -> isize;
    16 sendmsg(fd: c_int, message: *const msghdr, flags: c_int) -> isize;
    17 fcntl(fd: c_int, command: c_int, value: c_int) -> c_int;
    18 ioctl(fd: c_int, request: u64, value: *mut c_int) -> c_int;
    19 close(fd: c_int) -> c_int;
    20 shutdown(fd: c_int, how: c_int) -> c_int;
    21 getsockopt(fd: c_int, level: c_int, name: c_int, to: *mut u8, len: *mut u32) -> c_int;
    22 setsockopt(fd: c_int, level: c_int, name: c_int, from: *const u8, len: u32) -> c_int;
    23 poll(descriptors: *mut libc::pollfd, n: u64, timeout: c_int) -> c_int;
    24 netdev_send(packet: *const u8, n: usize) -> c_int;
    25 netdev_receive(to: *mut u8, n: *mut usize, time: *mut c_longlong) -> c_int;
    26 usleep(time: u32) -> c_int;
    27 gettimeofday(time: *mut timeval, zone: *mut c_void) -> c_int;
    28 epoll_create(size: c_int) -> c_int;
    29 epoll_ctl(epoll: c_int, operation: c_int, fd: c_int, event: *mut libc::epoll_event) -> c_int;
    30 epoll_wait(epoll: c_int, events: *mut libc::epoll_event, max: c_int, timeout: c_int) -> c_int;
    31 pipe(ends: *mut c_int) -> c_int;
    32 splice(
        from: c_int, from_offset: *mut i64, to: c_int, to_offset: *mut i64, len: usize, flags: u32
    ) -> isize;
}

impl Table {
    /// A new stack with these flags, driven by this thread.
    pub(crate) fn new(init: Init, flags: &str) -> Self {
        let flags = CString::new(flags).expect("flags without a zero");
        let mut words = [0; WORDS];
        // SAFETY: a string, and room for the table.
        unsafe { init(flags.as_ptr(), words.as_mut_ptr()) };
        Table { words }
    }

    /// Microseconds on the library's clock.
    pub(crate) fn clock(&self) -> i64 {
        let mut time = timeval { tv_sec: 0, tv_usec: 0 };
        self.gettimeofday(&mut time, std::ptr::null_mut()).expect("a clock that can be read");
        time.tv_sec * 1_000_000 + time.tv_usec
    }

    /// The stack's next packet and when it was sent, if it sends one.
    pub(crate) fn receive_packet(&self) -> Option<(i64, Vec<u8>)> {
        let mut packet = vec![0; 65_536];
        let (mut n, mut time) = (packet.len(), 0);
        self.netdev_receive(packet.as_mut_ptr(), &mut n, &mut time).expect("it never fails");
        packet.truncate(n);
        (n > 0).then_some((time, packet))
    }

    /// Frees the stack.
    pub(crate) fn free(self) {
        // SAFETY: the second word is `free`, and nobody uses the table any more.
        unsafe {
            std::mem::transmute::<usize, unsafe extern "C" fn(usize)>(self.words[1])(self.words[0]);
        }
    }
}
