//! Names of the C library's numbers.

/// Errors that calls answer.
const ERRORS: [(&str, i32); 29] = [
    ("EAGAIN", libc::EAGAIN),
    ("EINPROGRESS", libc::EINPROGRESS),
    ("EALREADY", libc::EALREADY),
    ("EISCONN", libc::EISCONN),
    ("ENOTCONN", libc::ENOTCONN),
    ("EPIPE", libc::EPIPE),
    ("ECONNRESET", libc::ECONNRESET),
    ("ECONNREFUSED", libc::ECONNREFUSED),
    ("ETIMEDOUT", libc::ETIMEDOUT),
    ("EBADF", libc::EBADF),
    ("EINVAL", libc::EINVAL),
    ("EADDRINUSE", libc::EADDRINUSE),
    ("ENOPROTOOPT", libc::ENOPROTOOPT),
    ("EEXIST", libc::EEXIST),
    ("EPROTO", libc::EPROTO),
    ("EACCES", libc::EACCES),
    ("ENOENT", libc::ENOENT),
    ("EAFNOSUPPORT", libc::EAFNOSUPPORT),
    ("EBUSY", libc::EBUSY),
    ("EPROTONOSUPPORT", libc::EPROTONOSUPPORT),
    ("EDEADLK", libc::EDEADLK),
    ("EHOSTUNREACH", libc::EHOSTUNREACH),
    ("ENETUNREACH", libc::ENETUNREACH),
    ("ENOTSOCK", libc::ENOTSOCK),
    ("ESPIPE", libc::ESPIPE),
    ("ENOTTY", libc::ENOTTY),
    ("ELOOP", libc::ELOOP),
    ("EFAULT", libc::EFAULT),
    ("EOPNOTSUPP", libc::EOPNOTSUPP),
];

/// Events of `poll` and `epoll`.
const EVENTS: [(&str, i32); 10] = [
    ("in", libc::POLLIN as i32),
    ("out", libc::POLLOUT as i32),
    ("pri", libc::POLLPRI as i32),
    ("err", libc::POLLERR as i32),
    ("hup", libc::POLLHUP as i32),
    ("rdhup", libc::POLLRDHUP as i32),
    ("nval", libc::POLLNVAL as i32),
    ("et", libc::EPOLLET),
    ("oneshot", libc::EPOLLONESHOT),
    ("none", 0),
];

fn number_of(name: &str, table: &[(&str, i32)]) -> Option<i32> {
    table.iter().find(|(known, _)| *known == name).map(|(_, number)| *number)
}

/// The number of an error.
pub(crate) fn errno(name: &str) -> Option<i32> {
    number_of(name, &ERRORS)
}

/// The name of an error that scripts know.
pub(crate) fn error_name(number: i32) -> Option<&'static str> {
    ERRORS.iter().find(|(_, known)| *known == number).map(|(name, _)| *name)
}

/// The number of an event.
pub(crate) fn event(name: &str) -> Option<i32> {
    number_of(name, &EVENTS)
}

/// Several events as `in|out`.
pub(crate) fn events(text: &str) -> Result<u32, String> {
    text.split('|').try_fold(0, |events, name| {
        let event = event(name).ok_or_else(|| format!("`{name}` is no event"))?;
        Ok(events | event as u32)
    })
}

/// Level and name of an option.
pub(crate) fn option(name: &str) -> Result<(i32, i32), String> {
    let (socket, tcp) = (libc::SOL_SOCKET, libc::IPPROTO_TCP);
    Ok(match name {
        "SO_ERROR" => (socket, libc::SO_ERROR),
        "SO_REUSEADDR" => (socket, libc::SO_REUSEADDR),
        "SO_KEEPALIVE" => (socket, libc::SO_KEEPALIVE),
        "SO_RCVBUF" => (socket, libc::SO_RCVBUF),
        "SO_SNDBUF" => (socket, libc::SO_SNDBUF),
        "SO_MEMINFO" => (socket, 55),
        "SO_TIMESTAMPING" => (socket, libc::SO_TIMESTAMPING),
        "SO_ACCEPTCONN" => (socket, libc::SO_ACCEPTCONN),
        "SO_OOBINLINE" => (socket, libc::SO_OOBINLINE),
        "SO_TYPE" => (socket, libc::SO_TYPE),
        "TCP_NODELAY" => (tcp, libc::TCP_NODELAY),
        "TCP_CORK" => (tcp, libc::TCP_CORK),
        "TCP_MAXSEG" => (tcp, libc::TCP_MAXSEG),
        "TCP_KEEPIDLE" => (tcp, libc::TCP_KEEPIDLE),
        "TCP_KEEPINTVL" => (tcp, libc::TCP_KEEPINTVL),
        "TCP_KEEPCNT" => (tcp, libc::TCP_KEEPCNT),
        "TCP_USER_TIMEOUT" => (tcp, libc::TCP_USER_TIMEOUT),
        "TCP_QUICKACK" => (tcp, libc::TCP_QUICKACK),
        "TCP_DEFER_ACCEPT" => (tcp, libc::TCP_DEFER_ACCEPT),
        "TCP_WINDOW_CLAMP" => (tcp, libc::TCP_WINDOW_CLAMP),
        "TCP_SYNCNT" => (tcp, libc::TCP_SYNCNT),
        "TCP_NOTSENT_LOWAT" => (tcp, libc::TCP_NOTSENT_LOWAT),
        "TCP_FASTOPEN" => (tcp, libc::TCP_FASTOPEN),
        "TCP_FASTOPEN_CONNECT" => (tcp, 30),
        "TCP_FASTOPEN_NO_COOKIE" => (tcp, 34),
        "TCP_ULP" => (tcp, libc::TCP_ULP),
        "TCP_ZEROCOPY_RECEIVE" => (tcp, 35),
        "TCP_INQ" => (tcp, 36),
        "TCP_CC_INFO" => (tcp, 26),
        "SO_ZEROCOPY" => (socket, libc::SO_ZEROCOPY),
        "IP_FREEBIND" => (libc::IPPROTO_IP, libc::IP_FREEBIND),
        "IP_TOS" => (libc::IPPROTO_IP, libc::IP_TOS),
        "IP_TTL" => (libc::IPPROTO_IP, libc::IP_TTL),
        "IP_MTU_DISCOVER" => (libc::IPPROTO_IP, libc::IP_MTU_DISCOVER),
        "IP_MTU" => (libc::IPPROTO_IP, libc::IP_MTU),
        "IPV6_MTU_DISCOVER" => (libc::IPPROTO_IPV6, libc::IPV6_MTU_DISCOVER),
        "IPV6_MTU" => (libc::IPPROTO_IPV6, libc::IPV6_MTU),
        "IPV6_V6ONLY" => (libc::IPPROTO_IPV6, libc::IPV6_V6ONLY),
        "IPV6_TCLASS" => (libc::IPPROTO_IPV6, libc::IPV6_TCLASS),
        "IPV6_UNICAST_HOPS" => (libc::IPPROTO_IPV6, libc::IPV6_UNICAST_HOPS),
        _ => return Err(format!("`{name}` is no option that scripts know")),
    })
}

/// Offset and length of a number of `struct tcp_info`.
pub(crate) fn field(name: &str) -> Option<(usize, usize)> {
    Some(match name {
        "state" => (0, 1),
        "ca_state" => (1, 1),
        "backoff" => (4, 1),
        "options" => (5, 1),
        "rto" => (8, 4),
        "snd_mss" => (16, 4),
        "ato" => (12, 4),
        "rcv_mss" => (20, 4),
        "last_data_sent" => (44, 4),
        "last_ack_recv" => (56, 4),
        "advmss" => (84, 4),
        "reordering" => (88, 4),
        "total_rto" => (240, 2),
        "unacked" => (24, 4),
        "sacked" => (28, 4),
        "lost" => (32, 4),
        "pmtu" => (60, 4),
        "rtt" => (68, 4),
        "snd_ssthresh" => (76, 4),
        "snd_cwnd" => (80, 4),
        "total_retrans" => (100, 4),
        "bytes_acked" => (120, 8),
        "bytes_received" => (128, 8),
        "notsent_bytes" => (144, 4),
        "min_rtt" => (148, 4),
        "data_segs_out" => (156, 4),
        "dsack_dups" => (216, 4),
        "reord_seen" => (220, 4),
        "snd_wnd" => (228, 4),
        _ => return None,
    })
}
