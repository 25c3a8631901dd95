//! The C interface as a program in C uses it: two stacks, each in a block of lent memory, whose frames
//! are handed from one to the other.

use ackclock_capi::*;
use core::ptr::null_mut;

const SECOND: u64 = 1_000_000;

struct Host {
    stack: *mut ackclock_stack,
    _memory: &'static mut [u64],
}

fn config(last: u8) -> ackclock_config {
    ackclock_config {
        secret: [last.into(), 7],
        hardware_address: [2, 0, 0, 0, 0, last],
        address: [10, 0, 0, last],
        prefix: 24,
        gateway: [0; 4],
        mtu: 1500,
    }
}

fn host(last: u8) -> Host {
    let bytes = ackclock_memory_needed() + 16 * 1024;
    let memory = Box::leak(vec![0; bytes.div_ceil(8)].into_boxed_slice());
    // SAFETY: the memory is leaked, and used by nobody else.
    let stack = unsafe { ackclock_init(memory.as_mut_ptr().cast(), bytes, &config(last)) };
    assert!(!stack.is_null());
    Host { stack, _memory: memory }
}

/// Hands frames over in both directions until there are none.
fn exchange(now: u64, hosts: [&Host; 2]) {
    let mut frame = [0; 1514];
    loop {
        let mut moved = false;
        for (from, to) in [(hosts[0], hosts[1]), (hosts[1], hosts[0])] {
            // SAFETY: both are stacks, and the frame is so long.
            unsafe {
                let length = ackclock_transmit(from.stack, now, frame.as_mut_ptr(), frame.len());
                if length > 0 {
                    moved = true;
                    ackclock_frame(to.stack, now, frame.as_ptr(), length);
                }
            }
        }
        if !moved {
            return;
        }
    }
}

#[test]
fn what_one_program_says_the_other_one_hears_and_answers() {
    let (client, server) = (host(1), host(2));
    let (mut listener, mut here, mut there) = (0, 0, 0);
    let mut now = 0;
    let mut turn = || {
        exchange(now, [&client, &server]);
        now += SECOND;
        now
    };
    // SAFETY: all pointers are to what lives on.
    unsafe {
        assert!(ackclock_listen(server.stack, 7, &mut listener));
        assert!(!ackclock_accept(server.stack, listener, &mut there));
        assert!(ackclock_connect(client.stack, 0, [10, 0, 0, 2].as_ptr(), 7, &mut here));
        assert_eq!(ackclock_write(client.stack, 0, here, b"hello".as_ptr(), 5), 5);
        let now = turn();
        assert!(ackclock_accept(server.stack, listener, &mut there));
        let mut bytes = [0; 16];
        assert_eq!(ackclock_read(server.stack, now, there, bytes.as_mut_ptr(), 16), 5);
        assert_eq!(&bytes[..5], b"hello");
        assert_eq!(ackclock_read(server.stack, now, there, bytes.as_mut_ptr(), 16), 0);
        assert_eq!(ackclock_write(server.stack, now, there, b"who?".as_ptr(), 4), 4);
        assert!(ackclock_shutdown(server.stack, now, there));
        assert_eq!(ackclock_write(server.stack, now, there, b"!".as_ptr(), 1), ACKCLOCK_OVER);
        let now = turn();
        assert_eq!(ackclock_read(client.stack, now, here, bytes.as_mut_ptr(), 16), 4);
        assert_eq!(ackclock_read(client.stack, now, here, bytes.as_mut_ptr(), 16), ACKCLOCK_END);
        assert_ne!(ackclock_readiness(client.stack, here) & ACKCLOCK_FINISHED, 0);
        assert!(ackclock_close(client.stack, now, here));
        assert_eq!(
            ackclock_read(client.stack, now, here, bytes.as_mut_ptr(), 16),
            ACKCLOCK_BAD_HANDLE
        );
        turn();
        assert_ne!(ackclock_readiness(server.stack, there) & ACKCLOCK_FLUSHED, 0);
    }
}

#[test]
fn what_lends_more_memory_gets_longer_queues() {
    let rooms = [0, 8192, 16_384].map(|more| {
        let bytes = ackclock_memory_needed() + more;
        let memory = Box::leak(vec![0_u64; bytes.div_ceil(8)].into_boxed_slice());
        let mut handle = 0;
        // SAFETY: the memory is leaked, and used by nobody else; the handle lives on.
        unsafe {
            let stack = ackclock_init(memory.as_mut_ptr().cast(), bytes, &config(1));
            assert!(ackclock_connect(stack, 0, [10, 0, 0, 2].as_ptr(), 7, &mut handle));
            ackclock_room(stack, handle)
        }
    });
    assert!(rooms[0] >= 512, "{rooms:?}");
    assert_eq!([rooms[1] - rooms[0], rooms[2] - rooms[1]], [1024, 1024]);
}

#[test]
fn what_cannot_be_is_refused() {
    let bytes = ackclock_memory_needed();
    let memory = Box::leak(vec![0_u64; bytes.div_ceil(8)].into_boxed_slice());
    let memory = memory.as_mut_ptr().cast();
    let mut number = 0;
    // SAFETY: the memory is leaked; what is NULL is allowed to be.
    unsafe {
        assert!(ackclock_init(memory, bytes - 1, &config(1)).is_null());
        assert!(ackclock_init(null_mut(), bytes, &config(1)).is_null());
        assert!(ackclock_init(memory, bytes, core::ptr::null()).is_null());
        assert!(
            ackclock_init(memory, bytes, &ackclock_config { prefix: 33, ..config(1) }).is_null()
        );
        assert!(ackclock_init(memory, bytes, &ackclock_config { mtu: 67, ..config(1) }).is_null());
        assert!(!ackclock_listen(null_mut(), 7, &mut number));
        let stack = ackclock_init(memory, bytes, &config(1));
        assert!(!ackclock_listen(stack, 7, null_mut()));
        assert!(ackclock_listen(stack, 8, &mut number));
        assert!(!ackclock_listen(stack, 8, &mut number), "the port is taken");
        for made_up in [0, 1, 1 << 32, u64::MAX] {
            assert!(!ackclock_accept(stack, made_up, &mut number));
            assert!(!ackclock_close(stack, 0, made_up));
            assert_eq!(ackclock_readiness(stack, made_up), 0);
        }
        assert_eq!(ackclock_poll_at(null_mut()), u64::MAX);
    }
}
