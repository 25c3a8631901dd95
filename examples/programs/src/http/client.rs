//! The client: it keeps its connection, and asks again when no answer comes.

use super::service::IDEMPOTENCY_KEY;
use ackclock_net::Net;
use ackclock_net::aio::TcpStream;
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::HOST;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// How long and how often a client waits for an answer.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// How long for each attempt.
    pub attempt: Duration,
    /// How often it asks.
    pub attempts: u32,
    /// How long after an attempt before the next.
    pub pause: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Patience {
            attempt: Duration::from_secs(30),
            attempts: 4,
            pause: Duration::from_millis(500),
        }
    }
}

/// A client of one server.
#[derive(Debug)]
pub struct Client {
    net: Net,
    server: SocketAddr,
    patience: Patience,
    open: Option<Open>,
}

/// A connection, and the task that carries it and ends with it.
#[derive(Debug)]
struct Open {
    sender: SendRequest<Full<Bytes>>,
    _task: JoinSet<hyper::Result<()>>,
}

impl Client {
    /// A client that connects when it first asks.
    pub fn new(net: &Net, server: SocketAddr, patience: Patience) -> Self {
        Client { net: net.clone(), server, patience, open: None }
    }

    /// Gets a page.
    ///
    /// # Errors
    /// None of the attempts was answered.
    pub async fn get(&mut self, path: &str) -> Result<Response<Bytes>, Unanswered> {
        self.ask(Request::get(path), Bytes::new()).await
    }

    /// Orders something. The key is unique to this order: the server recognises a repeated order by it.
    ///
    /// # Errors
    /// None of the attempts was answered; whether the order was taken is not known.
    pub async fn order(&mut self, key: &str, body: Bytes) -> Result<Response<Bytes>, Unanswered> {
        self.ask(Request::post("/orders").header(IDEMPOTENCY_KEY, key), body).await
    }

    async fn ask(
        &mut self,
        head: hyper::http::request::Builder,
        body: Bytes,
    ) -> Result<Response<Bytes>, Unanswered> {
        let request = head.header(HOST, self.server.to_string()).body(Full::new(body));
        let request = request.map_err(Unanswered::request)?;
        let mut attempts = 1;
        loop {
            let answer = timeout(self.patience.attempt, self.attempt(request.clone())).await;
            let why = match answer {
                Ok(Ok(answer)) => return Ok(answer),
                Ok(Err(why)) => why,
                Err(_) => Attempt::TimedOut,
            };
            if attempts >= self.patience.attempts {
                return Err(Unanswered { attempts, why });
            }
            attempts += 1;
            sleep(self.patience.pause).await;
        }
    }

    /// Asks once. The connection is kept if there was a whole answer, and is gone if not.
    async fn attempt(&mut self, request: Request<Full<Bytes>>) -> Result<Response<Bytes>, Attempt> {
        let kept = self.open.take().filter(|open| !open.sender.is_closed());
        let mut open = match kept {
            Some(open) => open,
            None => self.connect().await?,
        };
        open.sender.ready().await?;
        let (head, body) = open.sender.send_request(request).await?.into_parts();
        let body = body.collect().await?.to_bytes();
        self.open = Some(open);
        Ok(Response::from_parts(head, body))
    }

    async fn connect(&self) -> Result<Open, Attempt> {
        let stream = TcpStream::connect(&self.net, self.server).await?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        let mut task = JoinSet::new();
        task.spawn(connection);
        Ok(Open { sender, _task: task })
    }
}

/// No attempt was answered.
#[derive(Debug)]
pub struct Unanswered {
    /// How often the server was asked.
    pub attempts: u32,
    /// What became of the last attempt.
    pub why: Attempt,
}

impl Unanswered {
    fn request(error: hyper::http::Error) -> Self {
        Unanswered { attempts: 0, why: Attempt::Request(error) }
    }
}

/// What became of an attempt without an answer.
#[derive(Debug)]
pub enum Attempt {
    /// The request is not one of HTTP.
    Request(hyper::http::Error),
    /// There is no connection.
    Connect(io::Error),
    /// The connection ended before the answer did.
    Http(hyper::Error),
    /// No answer came in time.
    TimedOut,
}

impl From<io::Error> for Attempt {
    fn from(error: io::Error) -> Self {
        Attempt::Connect(error)
    }
}

impl From<hyper::Error> for Attempt {
    fn from(error: hyper::Error) -> Self {
        Attempt::Http(error)
    }
}

impl fmt::Display for Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no answer to {} attempts, the last: ", self.attempts)?;
        match &self.why {
            Attempt::Request(error) => write!(f, "not a request: {error}"),
            Attempt::Connect(error) => write!(f, "no connection: {error}"),
            Attempt::Http(error) => write!(f, "the connection ended: {error}"),
            Attempt::TimedOut => f.write_str("nothing came in time"),
        }
    }
}

impl std::error::Error for Unanswered {}
