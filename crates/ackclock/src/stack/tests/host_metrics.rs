//! What one connection has learned, for the next one to the same host (RFC 9040 section 6).

use super::*;
use crate::congestion::{InitialWindow, Reno};
use crate::profile::Kept;
use crate::tcp::{Info, Lessons, RtoConfig};

/// One way.
const DELAY: Duration = Duration::from_millis(20);

/// A client with Reno, a server, and the time.
struct Path {
    now: Instant,
    client: Stack<'static, Reno>,
    server: Host,
    listener: Listener,
    config: Config,
}

impl Path {
    fn new(reuse_metrics: bool) -> Self {
        let mut server = host_with(SERVER, config());
        let listener = server.listen(ListenConfig::new(addr("0.0.0.0:80"))).unwrap();
        let secret = [99, 5];
        let stack_config = StackConfig { secret, ..config() };
        let mut client = Stack::new(stack_config, Reno::default(), Storage::growing()).unwrap();
        client.add_address(Cidr { address: CLIENT.parse().unwrap(), prefix: 24 }).unwrap();
        // So short that timeouts follow what is measured.
        let rto = RtoConfig { min: Duration::from_millis(1), ..RtoConfig::default() };
        let config = Config { reuse_metrics, rto, ..Config::default() };
        Path { now: millis(1_000), client, server, listener, config }
    }

    fn connect(&mut self) -> Handle {
        self.client.connect(self.now, addr("10.0.0.2:80"), None, &self.config).unwrap()
    }

    fn info(&self, handle: Handle) -> Info {
        self.client.info(self.now, handle).unwrap()
    }

    /// Carries packets both ways for 2 s, but for the client's of that number.
    fn run(&mut self, lost: Option<usize>) {
        let mut sent = 0;
        for _ in 0..50 {
            self.client.on_timeout(self.now);
            let mut to_server = packets(self.now, &mut self.client);
            let range = sent..sent + to_server.len();
            sent = range.end;
            if let Some(lost) = lost.filter(|lost| range.contains(lost)) {
                to_server.remove(lost - range.start);
            }
            self.now += DELAY;
            for packet in &to_server {
                self.server.on_packet(self.now, packet);
            }
            self.server.on_timeout(self.now);
            let to_client = packets(self.now, &mut self.server);
            self.now += DELAY;
            for packet in &to_client {
                self.client.on_packet(self.now, packet);
            }
        }
    }

    /// A whole connection, of whose client's packets one may be lost. Gives what it was at its end.
    fn transfer(&mut self, lost: Option<usize>) -> Info {
        let client = self.connect();
        self.run(None);
        let server = self.server.accept(self.listener).unwrap();
        let data = std::vec![7; 100_000];
        assert_eq!(self.client.send(self.now, client, &data).unwrap(), data.len());
        self.run(lost);
        let info = self.info(client);
        assert_eq!(info.bytes_acked, 100_000);
        let mut buffer = std::vec![0; 200_000];
        let _ = self.server.receive(self.now, server, &mut buffer).unwrap();
        self.client.close(self.now, client).unwrap();
        self.server.close(self.now, server).unwrap();
        self.run(None);
        info
    }

    fn metrics(&self) -> Vec<HostMetrics> {
        self.client.host_metrics(self.now).collect()
    }

    /// What a connection has that was just established.
    fn next(&mut self) -> Info {
        let client = self.connect();
        self.run(None);
        let info = self.info(client);
        let server = self.server.accept(self.listener).unwrap();
        self.client.close(self.now, client).unwrap();
        self.server.close(self.now, server).unwrap();
        self.run(None);
        info
    }
}

#[test]
fn the_next_connection_begins_with_the_threshold_and_the_round_trip_time_of_the_last() {
    let mut path = Path::new(true);
    // No threshold is below that.
    path.config.initial_window = InitialWindow::segments(2);
    let first = path.transfer(Some(50));
    assert_eq!((first.fast_recoveries, first.timeouts), (1, 0));
    let [known] = path.metrics()[..] else { panic!("one host") };
    assert_eq!(known.address, SERVER.parse::<IpAddr>().unwrap());
    assert_eq!(known.ssthresh, Some(first.ssthresh.max(first.cwnd / 2)));
    let rttvar = known.rttvar.expect("it was measured");
    assert!(rttvar < DELAY / 2, "{rttvar:?} is less than a first measurement gives");
    let second = path.connect();
    assert_eq!(path.info(second).rto, Duration::from_secs(1), "a SYN has as long as ever");
    path.run(None);
    let second = path.info(second);
    assert_eq!(Some(second.ssthresh), known.ssthresh);
    assert_eq!(second.cwnd, 2 * second.mss, "the window is as ever");
    assert_eq!(second.rtt_samples, 1);
    // The estimator goes on from there (RFC 6298 rule 2.3), where a first measurement would make its half of it.
    let known_rtt = known.rtt.expect("it was measured").as_micros();
    let error = second.min_rtt.as_micros().abs_diff(known_rtt);
    let expected = (3 * rttvar.as_micros() + error) / 4;
    assert!(second.rttvar.as_micros().abs_diff(expected) <= 1, "{:?}", second.rttvar);
    assert!(second.rto < second.min_rtt.saturating_mul(3), "{:?}", second.rto);
}

#[test]
fn it_is_off_by_default() {
    let mut path = Path::new(false);
    assert!(!Config::default().reuse_metrics);
    path.transfer(Some(20));
    assert_eq!(path.metrics(), []);
    path.config.reuse_metrics = true;
    path.transfer(Some(20));
    assert_eq!(path.metrics().len(), 1);
    path.config.reuse_metrics = false;
    let info = path.next();
    assert_eq!((info.ssthresh, info.rto), (u32::MAX, Duration::from_millis(120)));
}

#[test]
fn what_was_learned_is_forgotten_after_an_hour_or_when_it_is_told_to() {
    let mut path = Path::new(true);
    path.transfer(Some(20));
    path.now += Duration::from_secs(3_500);
    assert_eq!(path.metrics().len(), 1);
    path.now += Duration::from_secs(100);
    assert_eq!(path.metrics(), []);
    assert_eq!(path.next().ssthresh, u32::MAX);
    path.transfer(Some(20));
    path.client.forget_host_metrics(Some(CLIENT.parse().unwrap()));
    assert_eq!(path.metrics().len(), 1, "of another host");
    path.client.forget_host_metrics(Some(SERVER.parse().unwrap()));
    assert_eq!(path.metrics(), []);
    path.transfer(Some(20));
    path.client.forget_host_metrics(None);
    assert_eq!(path.metrics(), []);
}

#[test]
fn a_threshold_that_is_far_too_small_does_no_lasting_harm() {
    let mut path = Path::new(true);
    let lessons = Lessons { threshold: 1, ..Lessons::default() };
    let server: IpAddr = SERVER.parse().unwrap();
    path.client.host_metrics.get_mut().unwrap().learn(path.now, server.into(), lessons);
    let first = path.next();
    assert_eq!(first.ssthresh, 10 * first.mss, "the initial window");
    // Without a loss the threshold stays, and is averaged with half the window; then again.
    let mut before = 1;
    for _ in 0..3 {
        path.transfer(None);
        let [HostMetrics { ssthresh: Some(now), .. }] = path.metrics()[..] else {
            panic!("one threshold")
        };
        assert!(now > before, "{now} after {before}");
        before = now;
    }
    assert!(before > 10_000, "{before}");
}

#[test]
fn reordering_that_was_seen_widens_the_next_connections_window_for_it() {
    let mut path = Path::new(true);
    let lessons = Lessons { reordering: Some(2), ..Lessons::default() };
    let server: IpAddr = SERVER.parse().unwrap();
    path.client.host_metrics.get_mut().unwrap().learn(path.now, server.into(), lessons);
    assert!(path.next().reordering_seen);
    path.client.forget_host_metrics(None);
    assert!(!path.next().reordering_seen);
}

/// All stores are one table to whoever looks, and one call empties them.
#[test]
fn what_is_remembered_of_a_host_whichever_way_is_listed_and_forgotten_together() {
    let mut path = Path::new(true);
    path.transfer(Some(20));
    let server: IpAddr = SERVER.parse().unwrap();
    let other: IpAddr = "10.0.0.7".parse().unwrap();
    let narrow = path.client.narrow_paths.get_mut().unwrap();
    narrow.learn(path.now, server.into(), 1_400);
    narrow.learn(path.now, other.into(), 1_300);
    let [first, second] = path.metrics()[..] else { panic!("each host once") };
    assert_eq!((first.address, first.mtu), (server, Some(1_400)));
    assert!(first.rtt.is_some());
    let nothing_else =
        (second.rtt, second.ssthresh, second.has_cookie, second.without_accurate_ecn);
    assert_eq!((second.address, second.mtu), (other, Some(1_300)));
    assert_eq!(nothing_else, (None, None, false, None));
    path.client.forget_host_metrics(Some(other));
    assert_eq!(path.metrics().len(), 1);
    path.client.forget_host_metrics(None);
    assert_eq!((path.metrics(), path.client.narrow_path(server.into())), (Vec::new(), None));
}

#[test]
fn a_connection_that_nobody_answers_teaches_nothing() {
    let mut path = Path::new(true);
    let handle = path.connect();
    let _ = packets(path.now, &mut path.client);
    path.client.close(path.now, handle).unwrap();
    assert_eq!(path.metrics(), []);
}
