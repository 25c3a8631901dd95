//! What memory many idle connections to anybody take, counted by the allocator. What it finds is printed too.

use ackclock_net::channel::joined;
use ackclock_net::{AnyListener, Net, NetConfig, TcpStream};
use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{Read, Write};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicIsize, Ordering};
use std::thread;
use std::time::Duration;

/// The system's allocator, which counts the bytes that are held.
struct Counting;

static HELD: AtomicIsize = AtomicIsize::new(0);

fn charge(bytes: isize) {
    HELD.fetch_add(bytes, Ordering::Relaxed);
}

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        charge(layout.size() as isize);
        // SAFETY: the caller's promises are those that the system's allocator wants.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        charge(-(layout.size() as isize));
        // SAFETY: as above; `memory` came of the system's allocator.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What is asked of the network, for each end of each flow.
const FLOWS: usize = 10_000;
const MOST: isize = 2_048;

/// Of what was carried, the packets that are still on their way have their memory a little longer.
fn held_at_rest() -> isize {
    let mut before = isize::MAX;
    loop {
        thread::sleep(Duration::from_millis(300));
        let held = HELD.load(Ordering::Relaxed);
        if held >= before {
            return held;
        }
        before = held;
    }
}

#[test]
fn ten_thousand_idle_flows_take_less_than_two_kilobytes_each() {
    let [near, far] = joined(1500, 256);
    let network = |link, address: &str| {
        let mut config = NetConfig::new([address.parse().unwrap()]);
        config.connection.nagle = ackclock::tcp::Nagle::Off;
        Net::on_thread(link, &config).unwrap()
    };
    let (clients, proxy) = (network(near, "10.0.0.1/8"), network(far, "10.0.0.2/8"));
    let before = held_at_rest();
    let listener = AnyListener::bind(&proxy, 64).unwrap();
    let serves = thread::spawn(move || {
        let mut flows = Vec::with_capacity(FLOWS);
        for _ in 0..FLOWS {
            let mut flow = listener.request().unwrap().accept().unwrap();
            flow.set_idle_time(Some(Duration::from_secs(3600))).unwrap();
            let mut asked = [0; 500];
            flow.read_exact(&mut asked).unwrap();
            flow.write_all(&asked).unwrap();
            flows.push(flow);
        }
        (flows, listener)
    });
    let flows: Vec<TcpStream> = (0..FLOWS)
        .map(|at| {
            let to = SocketAddr::from(([192, 0, 2, (at % 250) as u8], 80));
            let mut flow = TcpStream::connect(&clients, to).unwrap();
            flow.write_all(&[at as u8; 500]).unwrap();
            let mut answer = [0; 500];
            flow.read_exact(&mut answer).unwrap();
            assert_eq!(answer, [at as u8; 500]);
            flow
        })
        .collect();
    let (proxied, _listener) = serves.join().unwrap();
    let each = (held_at_rest() - before) / (2 * FLOWS as isize);
    println!("{each} bytes for each end of {FLOWS} idle flows");
    assert!(each < MOST, "{each} bytes");
    for mut flow in [&proxied[0], &proxied[FLOWS - 1]] {
        flow.write_all(b"still here").unwrap();
    }
    for mut flow in [&flows[0], &flows[FLOWS - 1]] {
        let mut said = [0; 10];
        flow.read_exact(&mut said).unwrap();
        assert_eq!(&said, b"still here");
    }
}
