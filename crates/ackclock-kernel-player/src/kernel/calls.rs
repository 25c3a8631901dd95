//! The socket calls of the kernel behind packetdrill's table of functions, so that the steps of scripts make them as
//! they make the library's.

use libc::{c_char, c_int, c_uint};
use std::cell::Cell;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Words in the table: its owner, how to free it, and 31 calls.
const WORDS: usize = 33;

/// What sockets that a script makes begin with.
#[derive(Default)]
pub(crate) struct Sockets {
    /// Those that were made, and whether their acks are delayed yet.
    made: Mutex<Vec<(c_int, bool)>>,
    /// Listeners and what they accept delay acks from the start, as the flag `quickack=0` says.
    delay_acks: AtomicBool,
    /// The name of the window law that each is given.
    law: Mutex<&'static str>,
    /// The option TCP_MD5SIG that each is given.
    md5: Mutex<Option<Vec<u8>>>,
}

/// TCP_INFO's first byte where the handshake is over, ESTABLISHED, FIN-WAIT-1 and 2, CLOSE-WAIT, and of listeners,
/// whose connections inherit it.
const OPEN: [u8; 5] = [1, 4, 5, 8, 10];

impl Sockets {
    /// Forgets the sockets of the script before.
    pub(crate) fn begin(&self, law: &'static str, delay_acks: bool, md5: Option<Vec<u8>>) {
        *self.law.lock().expect("no thread has failed") = law;
        *self.md5.lock().expect("no thread has failed") = md5;
        self.made.lock().expect("no thread has failed").clear();
        self.delay_acks.store(delay_acks, Relaxed);
    }

    /// Makes connections whose handshake is over delay their acks. Before that it would delay the handshake's last ack.
    pub(crate) fn delay_acks(&self) {
        if !self.delay_acks.load(Relaxed) {
            return;
        }
        for (socket, is_delaying) in self.made.lock().expect("no thread has failed").iter_mut() {
            if !*is_delaying && OPEN.contains(&state(*socket)) {
                set(*socket, libc::IPPROTO_TCP, libc::TCP_QUICKACK, 0);
                *is_delaying = true;
            }
        }
    }

    /// Whether another socket of the script is open and bound.
    fn has_bound_other(&self, than: c_int) -> bool {
        let made = self.made.lock().expect("no thread has failed");
        made.iter().any(|(socket, _)| *socket != than && port(*socket) != 0)
    }

    fn add(&self, socket: c_int) {
        if socket >= 0 {
            self.made.lock().expect("no thread has failed").push((socket, false));
        }
    }
}

fn state(socket: c_int) -> u8 {
    let (mut value, mut len) = ([0_u8; 8], 8);
    // SAFETY: room for that many bytes.
    unsafe {
        let value = value.as_mut_ptr().cast();
        libc::getsockopt(socket, libc::IPPROTO_TCP, libc::TCP_INFO, value, &mut len);
    }
    value[0]
}

/// The local port; 0 of what is not bound, or closed.
fn port(socket: c_int) -> u16 {
    let (mut address, mut len) = ([0_u8; 28], 28);
    // SAFETY: room for that many bytes.
    unsafe { libc::getsockname(socket, address.as_mut_ptr().cast(), &mut len) };
    u16::from_be_bytes([address[2], address[3]])
}

fn set(socket: c_int, level: c_int, name: c_int, value: c_int) {
    // SAFETY: a number and its length. That it fails on what is no socket is as good.
    unsafe { libc::setsockopt(socket, level, name, (&raw const value).cast(), 4) };
}

/// Gives a socket of TCP an option that is no number.
fn give(socket: c_int, name: c_int, option: &[u8]) -> std::io::Result<()> {
    let (value, len) = (option.as_ptr().cast(), option.len() as u32);
    // SAFETY: a value of this length.
    match unsafe { libc::setsockopt(socket, libc::IPPROTO_TCP, name, value, len) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}

/// Whether sockets of TCP take an option.
///
/// # Errors
/// What the kernel has against it.
pub(crate) fn try_option(name: c_int, option: &[u8]) -> std::io::Result<()> {
    // SAFETY: numbers; the descriptor is new and nobody else's.
    let socket = unsafe { OwnedFd::from_raw_fd(libc::socket(libc::AF_INET, libc::SOCK_STREAM, 0)) };
    give(socket.as_raw_fd(), name, option)
}

thread_local! {
    /// For whom the next table is.
    static OWNER: Cell<Option<&'static Sockets>> = const { Cell::new(None) };
}

/// Says for whom [`init`] makes tables in this thread.
pub(crate) fn own(sockets: &'static Sockets) {
    OWNER.set(Some(sockets));
}

/// Calls of the C library by the same arguments.
macro_rules! forward {
    ($($name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)+) => {
        $(unsafe extern "C" fn $name(_: usize, $($argument: $type),*) -> $answer {
            // SAFETY: the caller's arguments are as the C library wants them.
            unsafe { libc::$name($($argument as _),*) as $answer }
        })+
    };
}

forward! {
    listen(fd: c_int, backlog: c_int) -> c_int;
    connect(fd: c_int, address: *const u8, len: u32) -> c_int;
    read(fd: c_int, to: *mut u8, n: usize) -> isize;
    readv(fd: c_int, to: *const libc::iovec, n: c_int) -> isize;
    recv(fd: c_int, to: *mut u8, n: usize, flags: c_int) -> isize;
    recvfrom(
        fd: c_int, to: *mut u8, n: usize, flags: c_int, address: *mut u8, len: *mut u32
    ) -> isize;
    recvmsg(fd: c_int, message: *mut libc::msghdr, flags: c_int) -> isize;
    write(fd: c_int, from: *const u8, n: usize) -> isize;
    writev(fd: c_int, from: *const libc::iovec, n: c_int) -> isize;
    send(fd: c_int, from: *const u8, n: usize, flags: c_int) -> isize;
    sendto(
        fd: c_int, from: *const u8, n: usize, flags: c_int, address: *const u8, len: u32
    ) -> isize;
    sendmsg(fd: c_int, message: *const libc::msghdr, flags: c_int) -> isize;
    close(fd: c_int) -> c_int;
    shutdown(fd: c_int, how: c_int) -> c_int;
    getsockopt(fd: c_int, level: c_int, name: c_int, to: *mut u8, len: *mut u32) -> c_int;
    setsockopt(fd: c_int, level: c_int, name: c_int, from: *const u8, len: u32) -> c_int;
    poll(descriptors: *mut libc::pollfd, n: u64, timeout: c_int) -> c_int;
    epoll_create(size: c_int) -> c_int;
    epoll_ctl(epoll: c_int, operation: c_int, fd: c_int, event: *mut libc::epoll_event) -> c_int;
    epoll_wait(epoll: c_int, events: *mut libc::epoll_event, max: c_int, timeout: c_int) -> c_int;
    pipe(ends: *mut c_int) -> c_int;
    splice(
        from: c_int, from_offset: *mut i64, to: c_int, to_offset: *mut i64, len: usize, flags: c_uint
    ) -> isize;
}

unsafe extern "C" fn fcntl(_: usize, fd: c_int, command: c_int, value: c_int) -> c_int {
    // SAFETY: numbers.
    unsafe { libc::fcntl(fd, command, value) }
}

unsafe extern "C" fn ioctl(_: usize, fd: c_int, request: u64, value: *mut c_int) -> c_int {
    // SAFETY: room for the request's number.
    unsafe { libc::ioctl(fd, request, value) }
}

unsafe extern "C" fn socket(
    owner: &'static Sockets,
    domain: c_int,
    kind: c_int,
    protocol: c_int,
) -> c_int {
    // SAFETY: numbers.
    let socket = unsafe { libc::socket(domain, kind, protocol) };
    if socket < 0 {
        return socket;
    }
    owner.add(socket);
    // That the kernel has these was tried when the script began.
    let law = *owner.law.lock().expect("no thread has failed");
    let _ = give(socket, libc::TCP_CONGESTION, law.as_bytes());
    if let Some(key) = &*owner.md5.lock().expect("no thread has failed") {
        let _ = give(socket, libc::TCP_MD5SIG, key);
    }
    socket
}

/// Binds where no other socket of the script is bound, though connections linger there from an earlier script: they have
/// another peer.
unsafe extern "C" fn bind(
    owner: &'static Sockets,
    fd: c_int,
    address: *const u8,
    len: u32,
) -> c_int {
    if !owner.has_bound_other(fd) {
        set(fd, libc::SOL_SOCKET, libc::SO_REUSEADDR, 1);
    }
    // SAFETY: the caller's address has this length.
    unsafe { libc::bind(fd, address.cast(), len) }
}

unsafe extern "C" fn accept(
    owner: &'static Sockets,
    fd: c_int,
    address: *mut u8,
    len: *mut u32,
) -> c_int {
    // SAFETY: room for an address of this length.
    let socket = unsafe { libc::accept(fd, address.cast(), len) };
    owner.add(socket);
    // What accept found may already have data: the acks of the next are delayed.
    owner.delay_acks();
    socket
}

unsafe extern "C" fn absent() -> c_int {
    -1
}

/// Fills in the table; there are no flags, and packets go another way.
pub(crate) unsafe extern "C" fn init(_: *const c_char, out: *mut usize) {
    let owner = OWNER.get().expect("a thread that plays has said whose tables it makes");
    let words: [usize; WORDS] = [
        std::ptr::from_ref(owner) as usize,
        absent as *const () as usize,
        socket as *const () as usize,
        bind as *const () as usize,
        listen as *const () as usize,
        accept as *const () as usize,
        connect as *const () as usize,
        read as *const () as usize,
        readv as *const () as usize,
        recv as *const () as usize,
        recvfrom as *const () as usize,
        recvmsg as *const () as usize,
        write as *const () as usize,
        writev as *const () as usize,
        send as *const () as usize,
        sendto as *const () as usize,
        sendmsg as *const () as usize,
        fcntl as *const () as usize,
        ioctl as *const () as usize,
        close as *const () as usize,
        shutdown as *const () as usize,
        getsockopt as *const () as usize,
        setsockopt as *const () as usize,
        poll as *const () as usize,
        absent as *const () as usize,
        absent as *const () as usize,
        absent as *const () as usize,
        absent as *const () as usize,
        epoll_create as *const () as usize,
        epoll_ctl as *const () as usize,
        epoll_wait as *const () as usize,
        pipe as *const () as usize,
        splice as *const () as usize,
    ];
    // SAFETY: the caller has room for the table.
    unsafe { std::ptr::copy_nonoverlapping(words.as_ptr(), out, WORDS) };
}
