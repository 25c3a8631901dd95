//! Asynchronous sockets, whose drivers are tasks of the same thread.

use ackclock_net::aio::{TcpListener, TcpStream};
use ackclock_net::channel::joined;
use ackclock_net::{Net, NetConfig, TokioTimer};
use std::future::{Future, poll_fn};
use std::io::{ErrorKind, IoSlice};
use std::net::Shutdown;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// Runs a test with two connected streams in one thread, drivers included.
fn with_pair<F: Future<Output = ()>>(test: impl FnOnce(TcpStream, TcpStream, [Net; 2]) -> F) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let net = |link, address: &str| {
            let config = NetConfig::new([address.parse().unwrap()]);
            let (net, driver) = Net::with_driver(link, TokioTimer::start(), &config).unwrap();
            tokio::spawn(driver);
            net
        };
        let [near, far] = joined(1500, 256);
        let nets = [net(near, "10.0.0.1/24"), net(far, "10.0.0.2/24")];
        let listener = TcpListener::bind(&nets[1], "10.0.0.2:0".parse().unwrap()).unwrap();
        let connects = TcpStream::connect(&nets[0], listener.local_addr().unwrap());
        let accepts = tokio::spawn(async move { listener.accept().await.unwrap().0 });
        let client = connects.await.unwrap();
        let test = test(client, accepts.await.unwrap(), nets.clone());
        tokio::time::timeout(Duration::from_secs(60), test).await.expect("it hangs");
    });
}

/// Polls a future once, and gives it up.
async fn poll_once<F: Future>(future: F) -> Poll<F::Output> {
    let mut future = pin!(future);
    poll_fn(|cx| Poll::Ready(future.as_mut().poll(cx))).await
}

#[test]
fn tokios_copy_echoes_what_is_written_meanwhile() {
    with_pair(|client, mut server, _nets| async move {
        let echo = tokio::spawn(async move {
            let (mut read, mut write) = server.split();
            tokio::io::copy(&mut read, &mut write).await.unwrap()
        });
        let sent: Vec<u8> = (0..300_000).map(|at| (at % 251) as u8).collect();
        let (mut read, mut write) = client.into_split();
        let to_send = sent.clone();
        let writes = tokio::spawn(async move { write.write_all(&to_send).await.unwrap() });
        let mut got = Vec::new();
        // The half that writes ends its direction when it is dropped.
        read.read_to_end(&mut got).await.unwrap();
        writes.await.unwrap();
        assert!(got == sent);
        assert_eq!(echo.await.unwrap(), 300_000);
    });
}

#[test]
fn a_read_that_is_given_up_takes_nothing() {
    with_pair(|mut client, mut server, _nets| async move {
        let mut lost = [0; 8];
        assert!(poll_once(server.read(&mut lost)).await.is_pending());
        client.write_all(b"kept").await.unwrap();
        server.readable().await.unwrap();
        drop(server.read(&mut lost));
        let mut got = [0; 8];
        assert_eq!(server.read(&mut got).await.unwrap(), 4);
        assert_eq!((&got[..4], lost), (&b"kept"[..], [0; 8]));
    });
}

#[test]
fn an_accept_that_is_given_up_leaves_the_connection_to_the_next() {
    with_pair(|_client, _server, nets| async move {
        let listener = TcpListener::bind(&nets[1], "10.0.0.2:9".parse().unwrap()).unwrap();
        assert!(poll_once(listener.accept()).await.is_pending());
        let client = TcpStream::connect(&nets[0], "10.0.0.2:9".parse().unwrap()).await.unwrap();
        let (_stream, peer) = listener.accept().await.unwrap();
        assert_eq!(peer, client.local_addr().unwrap());
    });
}

#[test]
fn a_connect_that_is_given_up_is_forgotten() {
    with_pair(|_client, _server, nets| async move {
        let nobody = "10.0.0.77:7".parse().unwrap();
        let states = || nets[0].with_stack(|_, stack| stack.states().count()).unwrap();
        let before = states();
        assert!(poll_once(TcpStream::connect(&nets[0], nobody)).await.is_pending());
        assert_eq!(states(), before);
    });
}

#[test]
fn ready_says_what_would_not_wait() {
    with_pair(|mut client, mut server, _nets| async move {
        assert!(poll_once(server.readable()).await.is_pending());
        assert!(poll_once(client.writable()).await.is_ready());
        while poll_once(client.write(&[0; 100_000])).await.is_ready() {}
        assert!(poll_once(client.writable()).await.is_pending());
        server.readable().await.unwrap();
        let mut seen = [1; 3];
        assert_eq!(server.peek(&mut seen).await.unwrap(), 3);
        let reads = tokio::spawn(async move {
            let mut all = vec![0; 1 << 16];
            while server.read(&mut all).await.unwrap() > 0 {}
        });
        client.writable().await.unwrap();
        client.shutdown(Shutdown::Write).unwrap();
        client.acknowledged().await.unwrap();
        reads.await.unwrap();
        assert!(poll_once(client.writable()).await.is_ready(), "a write would fail");
    });
}

#[test]
fn slices_are_written_in_order_in_one_call() {
    with_pair(|mut client, mut server, _nets| async move {
        let parts = [IoSlice::new(b"one "), IoSlice::new(b""), IoSlice::new(b"two")];
        assert!(client.is_write_vectored());
        let wrote = poll_fn(|cx| Pin::new(&mut client).poll_write_vectored(cx, &parts)).await;
        assert_eq!(wrote.unwrap(), 7);
        AsyncWriteExt::shutdown(&mut client).await.unwrap();
        let mut got = String::new();
        server.read_to_string(&mut got).await.unwrap();
        assert_eq!(got, "one two");
    });
}

#[test]
fn the_traits_of_futures_io_do_the_same() {
    with_pair(|mut client, mut server, _nets| async move {
        use futures_io::{AsyncRead, AsyncWrite};
        let mut stream = Pin::new(&mut client);
        let wrote = poll_fn(|cx| AsyncWrite::poll_write(stream.as_mut(), cx, b"hello")).await;
        assert_eq!(wrote.unwrap(), 5);
        poll_fn(|cx| stream.as_mut().poll_close(cx)).await.unwrap();
        let (mut one, mut two) = ([0; 2], [0; 9]);
        let mut parts = [std::io::IoSliceMut::new(&mut one), std::io::IoSliceMut::new(&mut two)];
        server.readable().await.unwrap();
        let mut stream = Pin::new(&mut server);
        let read = poll_fn(|cx| stream.as_mut().poll_read_vectored(cx, &mut parts)).await;
        assert_eq!(read.unwrap(), 5);
        assert_eq!((&one, &two[..3]), (b"he", &b"llo"[..]));
        let end = poll_fn(|cx| AsyncRead::poll_read(stream.as_mut(), cx, &mut [0; 4])).await;
        assert_eq!(end.unwrap(), 0);
    });
}

#[test]
fn dropping_a_stream_that_is_to_reset_does_so() {
    with_pair(|client, mut server, _nets| async move {
        client.set_reset_on_drop(true);
        drop(client);
        let reset = server.read(&mut [0; 8]).await.unwrap_err();
        assert_eq!(reset.kind(), ErrorKind::ConnectionReset);
        assert_eq!(server.read(&mut [0; 8]).await.unwrap(), 0);
    });
}

/// Compiles only if it is so.
#[test]
fn everything_may_go_to_another_thread() {
    fn check<T: Send + Sync>() {}
    check::<Net>();
    check::<ackclock_net::TcpStream>();
    check::<ackclock_net::TcpListener>();
    check::<TcpStream>();
    check::<TcpListener>();
    check::<ackclock_net::aio::OwnedReadHalf>();
    check::<ackclock_net::channel::Packets>();
    fn sends<T: Send>() {}
    sends::<ackclock_net::Driver<ackclock_net::channel::PacketLink, TokioTimer>>();
}
