//! smoltcp as its documentation has it driven: poll, work, wait for the device.
//!
//! Its own TUN device makes a vector for each packet; this one reads and writes in place.

use super::{BUFFER, Job, OURS, PING, PORT};
use ackclock_benches::memory::{Access, make};
use ackclock_host::tun::Tun;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read, write};
use smoltcp::iface::{Config, Interface, SocketSet};
use smoltcp::phy::{Checksum, ChecksumCapabilities, Device, DeviceCapabilities, Medium};
use smoltcp::phy::{RxToken, TxToken};
use smoltcp::socket::tcp::{Socket, SocketBuffer, State};
use smoltcp::time::Instant;
use smoltcp::wire::{HardwareAddress, IpCidr};
use std::net::SocketAddr;

pub(super) fn run(tun: Tun, job: Job, remote: SocketAddr) {
    run_with(Access::Copy, tun, job, remote);
}

/// What is sent is made where it is sent from.
pub(super) fn run_in_place(tun: Tun, job: Job, remote: SocketAddr) {
    run_with(Access::InPlace, tun, job, remote);
}

fn run_with(access: Access, tun: Tun, job: Job, remote: SocketAddr) {
    let mut device = Plain { tun, arrived: vec![0; 1500], leaving: vec![0; 1500], busy: false };
    let mut config = Config::new(HardwareAddress::Ip);
    config.random_seed = 1;
    let mut interface = Interface::new(config, &mut device, Instant::ZERO);
    interface.update_ip_addrs(|addresses| {
        let address = IpCidr::new(OURS.address.into(), OURS.prefix);
        addresses.push(address).expect("room for one");
    });
    let buffer = || SocketBuffer::new(vec![0; BUFFER]);
    let mut socket = Socket::new(buffer(), buffer());
    let mut left = 0;
    match job {
        Job::Send(bytes) => {
            left = bytes;
            let local = (OURS.address, PORT);
            socket.connect(interface.context(), remote, local).expect("a remote address");
        }
        Job::Receive(_) | Job::Answer(_) => socket.listen(PORT).expect("a port"),
    }
    socket.set_nagle_enabled(!matches!(job, Job::Answer(_)));
    let mut sockets = SocketSet::new(Vec::new());
    let socket = sockets.add(socket);
    let data = vec![0x5a; BUFFER];
    let began = std::time::Instant::now();
    let now = || Instant::from_micros(began.elapsed().as_micros() as i64);
    let mut received = 0;
    loop {
        device.busy = false;
        interface.poll(now(), &mut device, &mut sockets);
        let socket = sockets.get_mut::<Socket>(socket);
        let mut worked = device.busy;
        while left > 0 && socket.can_send() {
            let n = left.min(data.len() as u64) as usize;
            let taken = match access {
                Access::Copy => socket.send_slice(&data[..n]),
                Access::InPlace => socket.send(|room| {
                    let n = n.min(room.len());
                    make(&mut room[..n]);
                    (n, n)
                }),
            };
            left -= taken.expect("an open connection") as u64;
            worked = true;
        }
        while socket.can_recv() && !matches!(job, Job::Answer(_)) {
            received += socket.recv(|bytes| (bytes.len(), bytes.len())).expect("data") as u64;
            worked = true;
        }
        let mut bytes = [0; PING];
        while matches!(job, Job::Answer(_)) && socket.can_recv() && socket.can_send() {
            let n = socket.recv_slice(&mut bytes).expect("data");
            assert_eq!(socket.send_slice(&bytes[..n]), Ok(n));
            worked = true;
        }
        let sent = matches!(job, Job::Send(_)) && left == 0;
        let over = socket.state() == State::CloseWait && !socket.can_recv();
        if (sent && socket.may_send()) || over {
            socket.close();
            worked = true;
        }
        if matches!(socket.state(), State::Closed | State::TimeWait) {
            break;
        }
        if !worked {
            let delay = interface.poll_delay(now(), &sockets);
            let timeout = delay.map(|delay| Timespec {
                tv_sec: delay.secs() as i64,
                tv_nsec: (delay.total_micros() % 1_000_000 * 1_000) as i64,
            });
            let them = &mut [PollFd::new(&device.tun, PollFlags::IN)];
            poll(them, timeout.as_ref()).expect("a working device");
        }
    }
    // The last ack.
    interface.poll(now(), &mut device, &mut sockets);
    if let Job::Receive(bytes) = job {
        assert_eq!(received, bytes);
    }
}

struct Plain {
    tun: Tun,
    arrived: Vec<u8>,
    leaving: Vec<u8>,
    /// Whether a packet has come since this was unset.
    busy: bool,
}

impl Device for Plain {
    type RxToken<'a> = Arrived<'a>;
    type TxToken<'a> = Leaving<'a>;

    fn receive(&mut self, _: Instant) -> Option<(Arrived<'_>, Leaving<'_>)> {
        match read(&self.tun, &mut self.arrived[..]) {
            Ok(n) => {
                self.busy = true;
                let Plain { tun, arrived, leaving, .. } = self;
                Some((Arrived(&arrived[..n]), Leaving { tun, packet: leaving }))
            }
            Err(Errno::AGAIN) => None,
            Err(errno) => panic!("the device failed: {errno}"),
        }
    }

    fn transmit(&mut self, _: Instant) -> Option<Leaving<'_>> {
        Some(Leaving { tun: &self.tun, packet: &mut self.leaving })
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ip;
        capabilities.max_transmission_unit = 1500;
        let mut checksum = ChecksumCapabilities::default();
        checksum.tcp = Checksum::Both;
        capabilities.checksum = checksum;
        capabilities
    }
}

struct Arrived<'a>(&'a [u8]);

impl RxToken for Arrived<'_> {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, f: F) -> R {
        f(self.0)
    }
}

struct Leaving<'a> {
    tun: &'a Tun,
    packet: &'a mut Vec<u8>,
}

impl TxToken for Leaving<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, len: usize, f: F) -> R {
        let result = f(&mut self.packet[..len]);
        write(self.tun, &self.packet[..len]).expect("a device that takes packets");
        result
    }
}
