//! How the connections of a proxy go out.

use std::fmt;
use std::str::FromStr;

/// How connections go out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    /// From this host to where they go.
    Direct,
    /// By a proxy that connects.
    Socks5(Socks5),
}

/// A SOCKS5 proxy (RFC 1928).
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Socks5 {
    /// `HOST:PORT`.
    pub(super) server: String,
    /// User and password (RFC 1929).
    pub(super) login: Option<(String, String)>,
}

impl FromStr for Socks5 {
    type Err = NotAProxy;

    fn from_str(url: &str) -> Result<Self, NotAProxy> {
        let rest = url.strip_prefix("socks5://").ok_or(NotAProxy)?;
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (login, server) = match rest.rsplit_once('@') {
            Some((login, server)) => (Some(login.split_once(':').ok_or(NotAProxy)?), server),
            None => (None, rest),
        };
        let (host, port) = server.rsplit_once(':').ok_or(NotAProxy)?;
        if host.is_empty() || port.parse::<u16>().is_err() {
            return Err(NotAProxy);
        }
        let login = login.map(|(user, password)| (user.into(), password.into()));
        Ok(Socks5 { server: server.into(), login })
    }
}

impl fmt::Display for Socks5 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Passwords are not printed.
        write!(f, "socks5://{}", self.server)
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Way::Direct => f.write_str("direct"),
            Way::Socks5(proxy) => proxy.fmt(f),
        }
    }
}

/// What should be a SOCKS5 proxy's URL is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NotAProxy;

impl fmt::Display for NotAProxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a SOCKS5 proxy is socks5://HOST:PORT or socks5://USER:PASSWORD@HOST:PORT, such as \
             socks5://127.0.0.1:1080",
        )
    }
}

impl std::error::Error for NotAProxy {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxys_url_names_a_server_and_perhaps_a_login() {
        let proxy = |server: &str, login: Option<(&str, &str)>| {
            let login = login.map(|(user, password)| (user.into(), password.into()));
            Ok(Socks5 { server: server.into(), login })
        };
        for (url, expected) in [
            ("socks5://127.0.0.1:1080", proxy("127.0.0.1:1080", None)),
            ("socks5://[::1]:1080/", proxy("[::1]:1080", None)),
            ("socks5://me:p@ss@here:1", proxy("here:1", Some(("me", "p@ss")))),
            ("127.0.0.1:1080", Err(NotAProxy)),
            ("http://127.0.0.1:1080", Err(NotAProxy)),
            ("socks5://127.0.0.1", Err(NotAProxy)),
            ("socks5://:1080", Err(NotAProxy)),
            ("socks5://me@here:1080", Err(NotAProxy)),
            ("socks5://here:65536", Err(NotAProxy)),
        ] {
            assert_eq!(url.parse(), expected, "{url}");
        }
        let said = "socks5://me:secret@here:1".parse::<Socks5>().map(|proxy| proxy.to_string());
        assert_eq!(said, Ok("socks5://here:1".into()));
    }
}
