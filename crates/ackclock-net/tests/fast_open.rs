//! Data with SYNs (TCP Fast Open, RFC 7413), by blocking sockets and in tasks.

use ackclock::tcp::FastOpenMode;
use ackclock_net::aio;
use ackclock_net::channel::joined;
use ackclock_net::{Net, NetConfig, TcpListener, TcpStream, TokioTimer};
use std::io::{Read, Write};
use std::net::SocketAddr;
use std::thread;

/// A client's network, and a server that answers each question with itself.
fn networks(accepts: FastOpenMode) -> (Net, Net, SocketAddr) {
    let [near, far] = joined(1500, 256);
    let client = NetConfig::new(["10.0.0.1/24".parse().unwrap()]);
    let mut server = NetConfig::new(["10.0.0.2/24".parse().unwrap()]);
    server.connection.fast_open = accepts;
    let client = Net::on_thread(near, &client).unwrap();
    let server = Net::on_thread(far, &server).unwrap();
    let listener = TcpListener::bind(&server, "10.0.0.2:0").unwrap();
    let at = listener.local_addr().unwrap();
    thread::spawn(move || {
        while let Ok((mut stream, _)) = listener.accept() {
            let mut question = [0; 100];
            let length = stream.read(&mut question).unwrap();
            stream.write_all(&question[..length]).unwrap();
        }
    });
    (client, server, at)
}

/// Asks twice; how many bytes went with each SYN.
fn bytes_with_syns(accepts: FastOpenMode) -> [u32; 2] {
    let (client, _server, at) = networks(accepts);
    [b"first", b"again"].map(|question| {
        let mut stream = TcpStream::connect_with_data(&client, &at, question).unwrap();
        let mut answer = [0; 5];
        stream.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, question);
        stream.info().unwrap().syn_data
    })
}

#[test]
fn the_second_question_goes_with_the_syn() {
    assert_eq!(bytes_with_syns(FastOpenMode::On), [0, 5]);
}

#[test]
fn a_listener_that_takes_no_data_with_syns_gets_them_later() {
    assert_eq!(bytes_with_syns(FastOpenMode::Off), [0, 0]);
}

#[test]
fn what_does_not_fit_into_the_syn_follows_it() {
    let [near, far] = joined(1500, 256);
    let mut server = NetConfig::new(["10.0.0.2/24".parse().unwrap()]);
    server.connection.fast_open = FastOpenMode::On;
    let client = Net::on_thread(near, &NetConfig::new(["10.0.0.1/24".parse().unwrap()])).unwrap();
    let server = Net::on_thread(far, &server).unwrap();
    let listener = TcpListener::bind(&server, "10.0.0.2:0").unwrap();
    let at = listener.local_addr().unwrap();
    let sent: Vec<u8> = (0..6_000_000_u32).map(|at| (at % 251) as u8).collect();
    for round in 0..2 {
        let data = sent.clone();
        let client = client.clone();
        let writes = thread::spawn(move || {
            let stream = TcpStream::connect_with_data(&client, &at, &data).unwrap();
            stream.info().unwrap().syn_data
        });
        let (mut stream, _) = listener.accept().unwrap();
        let mut got = Vec::new();
        stream.read_to_end(&mut got).unwrap();
        assert!(got == sent, "round {round}: {} bytes", got.len());
        assert_eq!(writes.join().unwrap() > 0, round == 1);
    }
}

#[test]
fn tasks_have_it_too() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let net = |link, address: &str| {
            let mut config = NetConfig::new([address.parse().unwrap()]);
            config.connection.fast_open = FastOpenMode::On;
            let (net, driver) = Net::with_driver(link, TokioTimer::start(), &config).unwrap();
            tokio::spawn(driver);
            net
        };
        let [near, far] = joined(1500, 256);
        let (client, server) = (net(near, "10.0.0.1/24"), net(far, "10.0.0.2/24"));
        let listener = aio::TcpListener::bind(&server, "10.0.0.2:0".parse().unwrap()).unwrap();
        let at = listener.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut question = [0; 100];
                let length = stream.read(&mut question).await.unwrap();
                stream.write_all(&question[..length]).await.unwrap();
            }
        });
        for with_syn in [0, 5] {
            let opens = aio::TcpStream::connect_with_data(&client, at, b"hello");
            let mut stream = opens.await.unwrap();
            let mut answer = [0; 100];
            assert_eq!(stream.read(&mut answer).await.unwrap(), 5);
            assert_eq!(stream.info().unwrap().syn_data, with_syn);
        }
    });
}
