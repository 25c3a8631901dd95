//! An echo server, and its client, over TLS on any network.

use ackclock_net::Net;
use ackclock_net::aio::{TcpListener, TcpStream};
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, Error, RootCertStore, ServerConfig};
use tokio_rustls::{TlsAcceptor, TlsConnector};

/// A server's settings, with its certificate and key as files of PEM.
///
/// # Errors
/// A file cannot be read, or key and certificate are none.
pub fn server_config(certificate: &Path, key: &Path) -> Result<Arc<ServerConfig>, NoConfig> {
    let chain = CertificateDer::pem_file_iter(certificate)?.collect::<Result<_, _>>()?;
    let key = PrivateKeyDer::from_pem_file(key)?;
    Ok(Arc::new(ServerConfig::builder().with_no_client_auth().with_single_cert(chain, key)?))
}

/// A client's settings, which trusts this certificate alone.
///
/// # Errors
/// The file cannot be read, or the certificate is none.
pub fn client_config(trusted: &Path) -> Result<Arc<ClientConfig>, NoConfig> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(trusted)?)?;
    Ok(Arc::new(ClientConfig::builder().with_root_certificates(roots).with_no_client_auth()))
}

/// Says back what each client says, for ever.
///
/// # Errors
/// The address cannot be listened at, or the network has ended.
pub async fn serve(net: &Net, at: SocketAddr, config: Arc<ServerConfig>) -> io::Result<()> {
    let (listener, acceptor) = (TcpListener::bind(net, at)?, TlsAcceptor::from(config));
    loop {
        let (stream, _) = listener.accept().await?;
        let acceptor = acceptor.clone();
        // TLS reports the failure to the client.
        tokio::spawn(async move { echo(&acceptor, stream).await });
    }
}

async fn echo(acceptor: &TlsAcceptor, stream: TcpStream) -> io::Result<()> {
    let (mut from, mut to) = tokio::io::split(acceptor.accept(stream).await?);
    tokio::io::copy(&mut from, &mut to).await?;
    to.shutdown().await
}

/// Sends something to a server of this name, and returns its answer.
///
/// # Errors
/// The connection fails, or the server's identity is wrong.
pub async fn ask(
    net: &Net,
    server: SocketAddr,
    name: ServerName<'static>,
    config: Arc<ClientConfig>,
    question: Vec<u8>,
) -> io::Result<Vec<u8>> {
    let stream = TcpStream::connect(net, server).await?;
    let stream = TlsConnector::from(config).connect(name, stream).await?;
    let (mut from, mut to) = tokio::io::split(stream);
    let mut answer = Vec::new();
    let says = async {
        to.write_all(&question).await?;
        to.shutdown().await
    };
    tokio::try_join!(says, from.read_to_end(&mut answer))?;
    Ok(answer)
}

/// Why the settings of TLS cannot be made.
#[derive(Debug)]
pub enum NoConfig {
    /// A file is not one of PEM.
    Pem(pem::Error),
    /// The certificate or key cannot be used.
    Tls(Error),
}

impl From<pem::Error> for NoConfig {
    fn from(error: pem::Error) -> Self {
        NoConfig::Pem(error)
    }
}

impl From<Error> for NoConfig {
    fn from(error: Error) -> Self {
        NoConfig::Tls(error)
    }
}

impl std::fmt::Display for NoConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NoConfig::Pem(error) => write!(f, "no certificate or key in PEM: {error}"),
            NoConfig::Tls(error) => write!(f, "a certificate or key that cannot be used: {error}"),
        }
    }
}

impl std::error::Error for NoConfig {}
