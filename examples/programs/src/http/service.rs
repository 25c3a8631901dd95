//! The server: a shop that takes orders.

use ackclock_net::Net;
use ackclock_net::aio::TcpListener;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The header by which the server recognises a repeated order: a name that the client chooses.
pub const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// Most bytes of an order or a page.
const LARGEST: usize = 64 << 20;

/// The response of a server.
pub type Answer = Response<Full<Bytes>>;

/// What answers requests.
pub trait Answers: Clone + Send + 'static {
    /// Answers one.
    fn answer(&self, request: Request<Incoming>) -> impl Future<Output = Answer> + Send;
}

/// Answers requests for ever, each connection in a task of its own.
///
/// # Errors
/// The address cannot be listened at, or the network has ended.
pub async fn serve(net: &Net, at: SocketAddr, answers: impl Answers) -> io::Result<Infallible> {
    let listener = TcpListener::bind(net, at)?;
    loop {
        let (stream, _) = listener.accept().await?;
        let answers = answers.clone();
        let service = service_fn(move |request| {
            let answers = answers.clone();
            async move { Ok::<_, Infallible>(answers.answer(request).await) }
        });
        // The date would differ from run to run.
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .auto_date_header(false)
            .serve_connection(TokioIo::new(stream), service);
        // One that fails is its client's to open again.
        tokio::spawn(connection);
    }
}

/// A shop. Clones are the same one.
///
/// | request | answer |
/// | --- | --- |
/// | `GET /pattern/N` | N bytes |
/// | `POST /orders` | takes the body as an order, and says its number; once for each idempotency key |
/// | `GET /orders` | how many orders there are |
/// | `GET /orders/N` | the order of this number |
#[derive(Clone, Default, Debug)]
pub struct Shop(Arc<Mutex<Orders>>);

#[derive(Default, Debug)]
struct Orders {
    bodies: Vec<Bytes>,
    numbers: BTreeMap<Vec<u8>, usize>,
}

impl Orders {
    fn take(&mut self, key: Option<Vec<u8>>, body: Bytes) -> usize {
        let next = self.bodies.len();
        let number = key.map_or(next, |key| *self.numbers.entry(key).or_insert(next));
        if number == next {
            self.bodies.push(body);
        }
        number
    }
}

impl Shop {
    /// The orders, in the order in which they came.
    pub fn orders(&self) -> Vec<Bytes> {
        self.lock().bodies.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Orders> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn get(&self, path: &str) -> Answer {
        let found = match path.rsplit_once('/') {
            Some(("", "orders")) => Some(Bytes::from(self.lock().bodies.len().to_string())),
            Some(("/orders", number)) => number
                .parse()
                .ok()
                .and_then(|number: usize| self.lock().bodies.get(number).cloned()),
            Some(("/pattern", length)) => {
                let length = length.parse().ok().filter(|&length| length <= LARGEST);
                length.map(|length| super::pattern(0, length).into())
            }
            _ => None,
        };
        found.map_or_else(|| answer(StatusCode::NOT_FOUND, "there is no such page"), ok)
    }

    async fn order(&self, request: Request<Incoming>) -> Answer {
        let key = request.headers().get(IDEMPOTENCY_KEY).map(|key| key.as_bytes().to_vec());
        match Limited::new(request.into_body(), LARGEST).collect().await {
            Ok(body) => {
                let number = self.lock().take(key, body.to_bytes());
                answer(StatusCode::CREATED, number.to_string())
            }
            Err(error) => answer(StatusCode::BAD_REQUEST, error.to_string()),
        }
    }
}

impl Answers for Shop {
    async fn answer(&self, request: Request<Incoming>) -> Answer {
        match (request.method(), request.uri().path()) {
            (&Method::GET, path) => self.get(path),
            (&Method::POST, "/orders") => self.order(request).await,
            _ => answer(StatusCode::METHOD_NOT_ALLOWED, "GET a page, or POST an order to /orders"),
        }
    }
}

fn ok(body: Bytes) -> Answer {
    answer(StatusCode::OK, body)
}

fn answer(status: StatusCode, body: impl Into<Bytes>) -> Answer {
    let mut answer = Response::new(Full::new(body.into()));
    *answer.status_mut() = status;
    answer
}
