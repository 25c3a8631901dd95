//! The caller's network and clock.

use super::Data;
use super::memory::{bytes, bytes_mut, machine};
use crate::machine::micros;
use ackclock::time::Duration;
use libc::{c_int, c_longlong, c_void, size_t, timeval, useconds_t};

pub(super) unsafe extern "C" fn netdev_send(data: Data, packet: *const c_void, n: size_t) -> c_int {
    // SAFETY: the caller passes its userdata, and a packet of that length.
    let (machine, packet) = unsafe { (machine(data), bytes(packet, n)) };
    machine.inject(packet);
    0
}

pub(super) unsafe extern "C" fn netdev_receive(
    data: Data,
    to: *mut c_void,
    n: *mut size_t,
    time: *mut c_longlong,
) -> c_int {
    // SAFETY: the caller passes its userdata, a buffer with its length, and a place for the time.
    unsafe {
        let sent = machine(data).next_packet();
        let Some(sent) = sent else {
            *n = 0;
            return 0;
        };
        let len = sent.packet.len().min(*n);
        bytes_mut(to, len).copy_from_slice(&sent.packet[..len]);
        *n = len;
        *time = micros(sent.at) as c_longlong;
    }
    0
}

pub(super) unsafe extern "C" fn usleep(data: Data, time: useconds_t) -> c_int {
    // SAFETY: the caller passes its userdata.
    unsafe { machine(data) }.sleep(Duration::from_micros(time.into()));
    0
}

pub(super) unsafe extern "C" fn gettimeofday(
    data: Data,
    to: *mut timeval,
    _: *mut c_void,
) -> c_int {
    // SAFETY: the caller passes its userdata, and a place for the time.
    unsafe {
        let now = machine(data).read_clock();
        let (seconds, micros) = (now / 1_000_000, now % 1_000_000);
        *to = timeval { tv_sec: seconds as _, tv_usec: micros as _ };
    }
    0
}
