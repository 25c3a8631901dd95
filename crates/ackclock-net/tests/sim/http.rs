//! A small HTTP client and server, written once for any network.

use ackclock_net::Net;
use ackclock_net::aio::{TcpListener, TcpStream};
use ackclock_net::sim::HostError;
use std::net::SocketAddr;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};

pub(crate) const SERVER: &str = "10.0.0.2:80";

/// The body of the page `path`: its name again and again, so many bytes of it.
pub(crate) fn page(path: &str, bytes: usize) -> Vec<u8> {
    path.bytes().cycle().take(bytes).collect()
}

/// Answers requests for ever, each connection in a task of its own.
pub(crate) async fn serve(net: Net, at: SocketAddr, bytes: usize) -> Result<(), HostError> {
    let listener = TcpListener::bind(&net, at)?;
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(answer(stream, bytes));
    }
}

async fn answer(mut stream: TcpStream, bytes: usize) -> Result<(), HostError> {
    let (read, mut write) = stream.split();
    let mut lines = BufReader::new(read).lines();
    while let Some(line) = lines.next_line().await? {
        let Some(path) = line.strip_prefix("GET ").and_then(|line| line.strip_suffix(" HTTP/1.1"))
        else {
            continue;
        };
        let body = page(path, bytes);
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
        AsyncWriteExt::write_all(&mut write, head.as_bytes()).await?;
        AsyncWriteExt::write_all(&mut write, &body).await?;
    }
    Ok(())
}

/// Gets a page.
pub(crate) async fn get(net: &Net, server: SocketAddr, path: &str) -> Result<Vec<u8>, HostError> {
    let mut stream = TcpStream::connect(net, server).await?;
    stream.write_all(format!("GET {path} HTTP/1.1\r\n\r\n").as_bytes()).await?;
    let mut reader = BufReader::new(stream);
    let (mut line, mut length) = (String::new(), None);
    loop {
        line.clear();
        reader.read_line(&mut line).await?;
        if let Some(given) = line.strip_prefix("Content-Length: ") {
            length = Some(given.trim().parse()?);
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length.ok_or("no length")?];
    AsyncReadExt::read_exact(&mut reader, &mut body).await?;
    Ok(body)
}
