//! Sources that pause, and applications that start late.

use super::*;
use core::array::IntoIter;

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Sends these bursts to a discard service; returns what became of each, and the source.
fn send<const N: usize>(
    bursts: [Burst; N],
) -> (Vec<Completed>, Source<Recorded<'static, IntoIter<Burst, N>>>) {
    let mut service = server(Service::Discard);
    let config = SourceConfig::new(SocketAddr::new(SERVER, Service::Discard.port()));
    let schedule = Recorded::new(bursts.into_iter(), Buffer::growing());
    let mut client = Source::with_schedule(config, schedule);
    World::new().run(&mut [&mut client], &mut service);
    assert_eq!(client.error(), None);
    assert_eq!(service.statistics().bytes_received, client.sent());
    (client.schedule().completed().to_vec(), client)
}

#[test]
fn a_pause_is_counted_from_when_all_before_was_acknowledged() {
    let burst = |pause, bytes| Burst { pause: ms(pause), amount: Amount::Bytes(bytes) };
    let (completed, client) = send([burst(5, 1000), burst(100, 3000), burst(0, 1)]);
    // The handshake takes a round trip of 2 ms. Each burst fits into the initial window; every other
    // segment is acknowledged at once, and a last one alone with it waits for the delayed ack.
    let began: Vec<_> = completed.iter().map(|each| each.began.as_millis()).collect();
    let ended: Vec<_> = completed.iter().map(|each| each.ended.as_millis()).collect();
    assert_eq!(client.established().unwrap().as_millis(), 2);
    assert_eq!(began[0], 7);
    assert_eq!(began[1], ended[0] + 100);
    assert_eq!(began[2], ended[1]);
    assert_eq!(completed.iter().map(|each| each.sent).collect::<Vec<_>>(), [1000, 3000, 1]);
    assert!(completed.iter().all(|each| each.latency() >= ms(2) && each.latency() < ms(60)));
    assert_eq!(ended[2], client.ended().unwrap().as_millis());
}

#[test]
fn a_burst_of_time_sends_what_goes_in_it() {
    let burst = |pause| Burst { pause: ms(pause), amount: Amount::Time(ms(50)) };
    let (completed, client) = send([burst(0), burst(300)]);
    let [first, second] = completed[..] else { panic!("{completed:?}") };
    assert_eq!(first.sent + second.sent, client.sent());
    assert!(first.sent > 100_000, "{first:?}");
    assert!(first.latency() >= ms(50));
    assert_eq!(second.began, first.ended + ms(300));
}

#[test]
fn without_a_burst_nothing_is_sent() {
    let (completed, client) = send([]);
    assert_eq!((completed, client.sent()), (Vec::new(), 0));
}

#[test]
fn a_burst_of_nothing_is_completed_at_once() {
    let nothing = Burst { pause: ms(1), amount: Amount::Bytes(0) };
    let (completed, _) = send([nothing, nothing]);
    assert_eq!(completed[0].latency(), Duration::ZERO);
    assert_eq!(completed[1].began, completed[0].ended + ms(1));
}

#[test]
fn lent_memory_remembers_as_much_as_it_holds() {
    let mut places = [Completed::default(); 2];
    let mut recorded = Recorded::new(0..5_u64, Buffer::lent(&mut places));
    for sent in 0..3 {
        assert_eq!(recorded.take_next(), Some(sent));
        recorded.on_completed(&Completed { sent, ..Completed::default() });
    }
    let sent: Vec<_> = recorded.completed().iter().map(|each| each.sent).collect();
    assert_eq!((sent, recorded.count()), (Vec::from([0, 1]), 3));
}

#[test]
fn a_late_application_starts_at_its_time() {
    let mut discard = server(Service::Discard);
    let client = source(Service::Discard, Amount::Bytes(10), false);
    let mut later = Later::new(Instant::from_millis(33), client);
    World::new().run(&mut [&mut later], &mut discard);
    let client = later.application();
    assert_eq!((client.started(), client.error()), (Some(Instant::from_millis(33)), None));
    assert_eq!((client.sent(), later.error()), (10, None));
}

#[test]
fn a_late_application_that_cannot_start_is_done_and_says_why() {
    let nowhere = SourceConfig::new("[2001:db8::1]:9".parse().unwrap());
    let mut later = Later::new(Instant::from_millis(33), Source::new(nowhere));
    World::new().run(&mut [&mut later], &mut server(Service::Discard));
    let error = StartError::Connect(crate::stack::ConnectError::NoSourceAddress);
    assert_eq!(later.error(), Some(error));
    // At once if its time has passed: then it is told as any other's.
    let mut late = Later::new(Instant::ZERO, Source::new(nowhere));
    let mut world = World::new();
    assert_eq!(late.start(world.now, &mut world.stacks[0]), Err(error));
}
