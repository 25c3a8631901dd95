//! What the kernel's sockets ask of a contestant, and what is measured of it.

use crate::contestants::{ADDRESS, LAW_OF_THE_KERNEL};
use crate::process::{Done, Process};
use crate::services::{DISCARD, ECHO, LARGE, SOURCE};
use rustix::net::sockopt::set_tcp_congestion;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

/// Bytes of a question, and of its answer.
const PING: usize = 64;
/// Idle connections.
const IDLE: usize = 1000;
/// Short connections are opened by so many threads, together one in so much time.
const THREADS: u32 = 8;
const INTERVAL: Duration = Duration::from_millis(1);
/// Longer than anything should take.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a workload goes on, and before that without being measured.
#[derive(Clone, Copy)]
pub struct Times {
    pub warm_up: Duration,
    pub measured: Duration,
}

/// A workload: returns its figures.
pub type Workload = fn(&mut Process, Times) -> io::Result<Vec<f64>>;

fn connect(port: u16) -> io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&SocketAddr::from((ADDRESS, port)), PATIENCE)?;
    set_tcp_congestion(&stream, LAW_OF_THE_KERNEL)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

fn ping(mut stream: &TcpStream) -> io::Result<()> {
    let mut answer = [0; PING];
    stream.write_all(&[0x5a; PING])?;
    stream.read_exact(&mut answer)
}

/// Waits until the contestant serves.
pub fn await_service() -> io::Result<()> {
    let begin = Instant::now();
    loop {
        match connect(ECHO).and_then(|stream| ping(&stream)) {
            Err(_) if begin.elapsed() < PATIENCE => sleep(Duration::from_millis(10)),
            ended => return ended,
        }
    }
}

/// What a contestant took for something.
struct Taken {
    wall: f64,
    processor: f64,
    discarded: f64,
}

/// Does something for the time that is measured; returns what it returned, and what it took.
fn measure<T>(
    process: &mut Process,
    work: impl FnOnce() -> io::Result<T>,
) -> io::Result<(T, Taken)> {
    let (before, began): (Done, _) = (process.ask()?, Instant::now());
    let done = work()?;
    let (after, wall) = (process.ask()?, began.elapsed());
    let taken = Taken {
        wall: wall.as_secs_f64(),
        processor: (after.processor - before.processor).as_secs_f64(),
        discarded: (after.discarded - before.discarded) as f64,
    };
    Ok((done, taken))
}

pub fn bulk_to(process: &mut Process, times: Times) -> io::Result<Vec<f64>> {
    bulk(process, times, &[DISCARD])
}

pub fn bulk_from(process: &mut Process, times: Times) -> io::Result<Vec<f64>> {
    bulk(process, times, &[SOURCE])
}

pub fn bulk_both(process: &mut Process, times: Times) -> io::Result<Vec<f64>> {
    bulk(process, times, &[DISCARD, SOURCE])
}

/// Gbit/s, processor seconds per GB: a connection to each of these ports.
fn bulk(process: &mut Process, times: Times, ports: &[u16]) -> io::Result<Vec<f64>> {
    let streams = ports.iter().map(|port| connect(*port)).collect::<io::Result<Vec<_>>>()?;
    let arrived = &AtomicU64::new(0);
    scope(|scope| {
        for (stream, port) in streams.iter().zip(ports) {
            scope.spawn(move || if *port == DISCARD { give(stream) } else { take(stream, arrived) });
        }
        sleep(times.warm_up);
        let measured = measure(process, || {
            let before = arrived.load(Relaxed);
            sleep(times.measured);
            Ok((arrived.load(Relaxed) - before) as f64)
        });
        // Whoever waits for the contestant waits no longer.
        streams.iter().try_for_each(|stream| stream.shutdown(Shutdown::Both)).unwrap_or_default();
        let (arrived, taken) = measured?;
        let bytes = arrived + taken.discarded;
        if bytes == 0.0 {
            return Err(io::Error::other("nothing arrived"));
        }
        Ok(vec![bytes * 8e-9 / taken.wall, taken.processor * 1e9 / bytes])
    })
}

/// Sends until the connection is shut.
fn give(mut stream: &TcpStream) {
    let data = vec![0x5a; LARGE];
    while stream.write_all(&data).is_ok() {}
}

/// Receives until the connection is shut.
fn take(mut stream: &TcpStream, arrived: &AtomicU64) {
    let mut buffer = vec![0; LARGE];
    while let Ok(n @ 1..) = stream.read(&mut buffer) {
        arrived.fetch_add(n as u64, Relaxed);
    }
}

/// Transactions per second, the median and the 99th percentile of their times in microseconds, and
/// processor time in microseconds for each.
pub fn ping_pong(process: &mut Process, times: Times) -> io::Result<Vec<f64>> {
    let stream = connect(ECHO)?;
    let (spans, taken) = measure(process, || {
        let (begin, mut spans) = (Instant::now(), Vec::new());
        while begin.elapsed() < times.measured {
            let began = Instant::now();
            ping(&stream)?;
            spans.push(began.elapsed());
        }
        Ok(spans)
    })?;
    Ok(figures_of(spans, &taken))
}

fn figures_of(mut spans: Vec<Duration>, taken: &Taken) -> Vec<f64> {
    spans.sort_unstable();
    let count = spans.len();
    let micros = |at: usize| spans.get(at).map_or(f64::NAN, |span| span.as_secs_f64() * 1e6);
    let each = |time: f64| time * 1e6 / count as f64;
    vec![count as f64 / taken.wall, micros(count / 2), micros(count * 99 / 100), each(taken.processor)]
}

/// As [`ping_pong`], with a connection for each transaction, of which one is begun each millisecond; and how
/// many failed.
pub fn short(process: &mut Process, times: Times) -> io::Result<Vec<f64>> {
    let count = (times.measured.as_nanos() / INTERVAL.as_nanos()) as u32;
    let (ended, taken) = measure(process, || {
        let begin = Instant::now();
        let open = move |first: u32| {
            let mut spans = Vec::new();
            for number in (first..count).step_by(THREADS as usize) {
                let due = begin + INTERVAL * number;
                sleep(due.saturating_duration_since(Instant::now()));
                // Whoever is late does not get more time for it.
                if begin.elapsed() > times.measured + PATIENCE {
                    break;
                }
                let began = Instant::now();
                let done = connect(ECHO).and_then(|stream| ping(&stream));
                spans.push(done.map(|()| began.elapsed()));
            }
            spans
        };
        Ok(scope(|scope| {
            let threads: Vec<_> = (0..THREADS).map(|n| scope.spawn(move || open(n))).collect();
            threads.into_iter().flat_map(|it| it.join().expect("no panic")).collect::<Vec<_>>()
        }))
    })?;
    let spans: Vec<_> = ended.into_iter().flatten().collect();
    let failed = count as f64 - spans.len() as f64;
    let mut figures = figures_of(spans, &taken);
    figures.insert(3, failed);
    Ok(figures)
}

/// Connections that have each carried something.
fn idle_connections() -> io::Result<Vec<TcpStream>> {
    let open = |_| connect(ECHO).and_then(|stream| ping(&stream).map(|()| stream));
    (0..IDLE).map(open).collect()
}

/// As [`bulk_to`], beside idle connections.
pub fn busy(process: &mut Process, times: Times) -> io::Result<Vec<f64>> {
    let _idle = idle_connections()?;
    bulk_to(process, times)
}

/// Milliseconds of processor time that idle connections take in all.
pub fn idle(process: &mut Process, times: Times) -> io::Result<Vec<f64>> {
    let _idle = idle_connections()?;
    sleep(times.warm_up);
    let ((), taken) = measure(process, || {
        sleep(times.measured);
        Ok(())
    })?;
    Ok(vec![taken.processor * 1e3])
}
