//! What a connection can do now.

/// What a connection can do now.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Readiness {
    /// The handshake is finished (and the connection is not over).
    pub established: bool,
    /// Data can be received, or the end of data or an error can be learned.
    pub readable: bool,
    /// Data can be queued for sending, or an error can be learned.
    pub writable: bool,
    /// Urgent data is ahead (RFC 9293 section 3.8.5, MUST-32).
    pub urgent: bool,
    /// The peer has sent FIN and all its data was read.
    pub finished: bool,
    /// Everything queued, FIN included if there was a shutdown, was acknowledged.
    pub flushed: bool,
    /// Delivery is in trouble: the same segment was retransmitted three times without any ack (R1,
    /// RFC 9293 section 3.8.3). It ends with the next ack, or with the connection.
    pub troubled: bool,
    /// The connection is over; `Info::error` says why, if there was an error.
    pub closed: bool,
}

impl Readiness {
    /// One bit for each thing that can be done.
    pub(crate) const fn bits(&self) -> u8 {
        let &Readiness {
            established,
            readable,
            writable,
            urgent,
            finished,
            flushed,
            troubled,
            closed,
        } = self;
        established as u8
            | (readable as u8) << 1
            | (writable as u8) << 2
            | (urgent as u8) << 3
            | (finished as u8) << 4
            | (flushed as u8) << 5
            | (troubled as u8) << 6
            | (closed as u8) << 7
    }
}
