//! Requests and responses.

use super::*;
use core::array::IntoIter;

const PORT: u16 = 4000;

const fn exchange(pause_millis: u64, request: u32, response: u32) -> Exchange {
    Exchange { pause: Duration::from_millis(pause_millis), request, response }
}

fn respond() -> Server<'static, Respond> {
    let local = SocketAddr::new(SERVER, PORT);
    Server::new(Respond, ListenConfig::new(local), Buffer::growing())
}

type Asked<const N: usize> = Requests<Recorded<'static, IntoIter<Exchange, N>>>;

fn requests<const N: usize>(exchanges: [Exchange; N]) -> Asked<N> {
    let schedule = Recorded::new(exchanges.into_iter(), Buffer::growing());
    Requests::new(RequestsConfig::new(SocketAddr::new(SERVER, PORT)), schedule)
}

#[test]
fn every_request_gets_the_response_that_it_asks_for() {
    let mut service = respond();
    let exchanges = [
        exchange(0, 8, 1),
        exchange(10, 100, 5_000),
        exchange(0, 300_000, 8),
        exchange(5, 8, 400_000),
    ];
    let mut client = requests(exchanges);
    World::new().run(&mut [&mut client], &mut service);
    assert_eq!((client.error(), client.completed()), (None, 4));
    let completed = client.schedule().completed();
    for (done, asked) in completed.iter().zip(&exchanges) {
        assert_eq!((done.sent, done.received), (asked.request.into(), asked.response.into()));
    }
    // A small exchange takes a round trip.
    assert_eq!(completed[0].began.as_millis(), 2);
    assert_eq!(completed[0].latency(), Duration::from_millis(2));
    assert_eq!(completed[1].began, completed[0].ended + Duration::from_millis(10));
    assert_eq!(completed[2].began, completed[1].ended);
    let statistics = service.statistics();
    assert_eq!((statistics.completed, statistics.failed), (1, 0));
    assert_eq!((statistics.bytes_received, statistics.bytes_sent), (300_116, 405_009));
}

#[test]
fn sizes_below_the_least_count_as_the_least() {
    let mut service = respond();
    let mut client = requests([exchange(0, 0, 0), exchange(0, 7, 1)]);
    World::new().run(&mut [&mut client], &mut service);
    assert_eq!((client.error(), client.sent(), client.received()), (None, 16, 2));
}

#[test]
fn without_requests_the_connection_is_opened_and_closed() {
    let mut service = respond();
    let mut client = requests([]);
    World::new().run(&mut [&mut client], &mut service);
    assert_eq!((client.error(), client.completed()), (None, 0));
    assert_eq!(service.statistics().completed, 1);
}

#[test]
fn a_service_that_answers_otherwise_is_found_out() {
    let mut chargen = Server::new(
        Service::Chargen,
        ListenConfig::new(SocketAddr::new(SERVER, PORT)),
        Buffer::growing(),
    );
    let mut client = requests([exchange(0, 100, 100)]);
    World::new().run(&mut [&mut client], &mut chargen);
    assert_eq!(client.error(), Some(RequestsError::Mismatch { offset: 0 }));
}

#[test]
fn nobody_to_answer_is_an_error() {
    let mut client = requests([exchange(0, 100, 100)]);
    World::new().run(&mut [&mut client], &mut server(Service::Discard));
    assert_eq!(client.error(), Some(RequestsError::Connection(tcp::Error::Refused)));
}

#[test]
fn a_peer_that_closes_without_an_answer_is_an_error() {
    let mut world = World::new();
    let listener =
        world.stacks[1].listen(ListenConfig::new(SocketAddr::new(SERVER, PORT))).unwrap();
    let mut client = requests([exchange(0, 100, 100)]);
    client.start(world.now, &mut world.stacks[0]).unwrap();
    let mut idle = server(Service::Discard);
    while !Application::<BuiltIn>::is_done(&client) {
        assert!(world.now < Instant::from_secs(60));
        world.step(&mut [&mut client], &mut idle);
        let now = world.now;
        if let Some(handle) = world.stacks[1].accept(listener) {
            world.stacks[1].shutdown(now, handle).unwrap();
        }
    }
    assert_eq!(client.error(), Some(RequestsError::Unanswered));
}

#[test]
fn who_has_said_all_still_gets_the_whole_response_and_in_pieces_too() {
    let mut service = respond();
    let mut world = World::new();
    service.start(world.now, &mut world.stacks[1]).unwrap();
    let remote = SocketAddr::new(SERVER, PORT);
    let config = tcp::Config::default();
    let handle = world.stacks[0].connect(world.now, remote, None, &config).unwrap();
    // Two requests byte by byte, and the end behind them at once.
    let (now, stack) = (world.now, &mut world.stacks[0]);
    for request in [[0, 0, 0, 9, 0, 0, 0, 3, 0xff].as_slice(), &[0, 0, 0, 8, 0, 9, 0, 0]] {
        request.iter().for_each(|byte| assert_eq!(stack.send(now, handle, &[*byte]), Ok(1)));
    }
    stack.shutdown(now, handle).unwrap();
    let mut response = Vec::new();
    while service.statistics().completed == 0 {
        assert!(world.now < Instant::from_secs(60));
        world.step(&mut [], &mut service);
        receive_all(&mut world, handle, &mut response);
    }
    assert_eq!(response.len(), 3 + 0x9_0000);
    assert_eq!(Pattern::new(0).first_mismatch(0, &response), None);
    assert_eq!(world.stacks[0].info(world.now, handle).unwrap().error, None);
}
