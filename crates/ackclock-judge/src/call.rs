//! Calls of the judged host's application, for rules about what it asked for.

use ackclock::time::Duration;

/// A call of the application.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Call {
    /// It has written so many bytes, which the host took.
    Write(u64),
    /// It has marked the last byte that it has written as urgent (RFC 9293 section 3.8.5).
    Urgent,
    /// It has read so many bytes.
    Read(u64),
    /// It has closed its direction: no more data will be written.
    Close,
    /// It has given the connection up, and wants it reset.
    Abort,
    /// It has closed both directions: nothing will be read any more either (RFC 9293 section 3.6.1).
    CloseBoth,
    /// It has set how long what it has written may wait for an ack (RFC 9293 section 3.9.1.1).
    UserTimeout(Duration),
}
