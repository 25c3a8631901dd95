//! Packet scripts: what one connection sends, gets and is asked to do, line by line in virtual time.
//!
//! A script drives the public API of one [`Stack`](ackclock::stack::Stack) with packets in bytes.
//! Each packet that the stack sends must stand in the script, in order and at its very time;
//! anything else fails the test with the line, what was expected and what came.
//!
//! ```
//! ackclock_testkit::script::check(
//!     r"
//!     connect
//!     > S 0:0(0) win 10000 <mss 1000,sackOK>
//!     +0.020 < S. 0:0(0) ack 1 win 5000 <mss 500,sackOK>
//!     > . 1:1(0) ack 1
//!     write 700
//!     > . 1:501(500) ack 1
//!     > P. 501:701(200) ack 1
//!     write 100                                # waits for the ack (Nagle)
//!     +0.020 < . 1:1(0) ack 701
//!     > P. 701:801(100) ack 1
//!     info send_queue 100
//!     +0.2 > P. 701:801(100) ack 1             # the retransmission timeout
//!     ",
//! );
//! ```
//!
//! The lines, segments and ICMP errors below are the language of every script, whatever plays it: a
//! [`Player`] gets each line as a time and a [`Step`]. The steps after them are those of [`check`].
//!
//! # Lines
//! A line is a comment (from `#` on), or a time and a step. A time is `0.25` (seconds since the
//! script began), `+0.25` (since the line before) or nothing (the same instant as the line before).
//!
//! | step | means |
//! | --- | --- |
//! | `> SEGMENT` | the stack sends this at that time, and nothing between the line before and this one |
//! | `< SEGMENT` | the peer sends this |
//! | `icmp NAME SEQ [mtu N]` | a router sends this error about our segment that begins at SEQ |
//! | `quiet` | nothing: up to that time nothing is sent that no line expects |
//! | anything else | a setting or a call that the player knows |
//!
//! # Segments
//! `FLAGS FIRST:END(LENGTH) [ack N] [win N] [urg N] [<OPTIONS>]`, as packetdrill and tcpdump write
//! them. Flags are some of `S F R P U E W A` and `.` for ACK, or `-` for none; LENGTH counts payload
//! bytes. Numbers are relative: the SYN is 0, the first byte 1, in either direction; negative ones
//! lie before the SYN. (The peer's SYN is 5,000 before the end of the sequence space, so that the
//! peer's numbers wrap in many scripts.) The window is the header's field, unscaled. `[ce]`,
//! `[ect0]`, `[ect1]` or `[not-ect]` before the flags is the ECN codepoint.
//!
//! Options are `mss N`, `sackOK`, `wscale N`, `TS val N ecr N`, `sack A:B C:D`, `nop`, separated by
//! commas, and `accecn0` or `accecn1` with up to three counters as they stand there (RFC 9768, kinds 172 and
//! 174). Our timestamps read 1000 when the script begins and count milliseconds; those of the peer
//! are as written.
//!
//! In `>` what is not written is not checked: window, urgent pointer and ECN. Options that are not
//! written must be absent, except timestamps. In `<` the window is that of the last `<` line that
//! tells one (60000 at first).
//!
//! Payload is checked in both directions: each side's stream is a
//! [`Pattern`](ackclock::apps::Pattern). A FIN may be followed by more than its payload.
//!
//! # ICMP errors
//! Their names are `net_unreachable`, `host_unreachable`, `protocol_unreachable`,
//! `port_unreachable`, `frag_needed`, `source_route_failed`, `admin_prohibited`, `source_quench`,
//! `time_exceeded` and `parameter_problem`; over IPv6 `no_route`, `address_unreachable`,
//! `admin_prohibited`, `port_unreachable`, `too_big`, `time_exceeded` and `parameter_problem`. N is the
//! MTU in bytes that a router tells; without it the field is 0.
//!
//! # Steps of `check`
//! Timers that are due at a line's instant fire before the line counts.
//!
//! | step | means |
//! | --- | --- |
//! | `set NAME VALUE…` | a setting of the connection to come, see below |
//! | `connect [with N]`, `listen`, `accept` | opens actively, with the next N bytes of our stream queued; passively; takes the connection from the listener |
//! | `established [passive] [win N]` | a whole handshake with a round trip of 10 ms, in which the peer offers what we offer, an MSS of 1000 and a window of N (60000) |
//! | `write N [takes M]` | queues the next N bytes of our stream, of which M (all) are taken |
//! | `urgent N` | as `write`, as urgent data |
//! | `read N`, `read end` | reads exactly N bytes, checked; finds that the peer has finished |
//! | `urgent_ahead N`, `urgent_ahead none` | so many bytes to the last urgent one |
//! | `shutdown`, `close`, `abort` | half-close; give up the handle; reset |
//! | `user_timeout TIME`, `advertise_user_timeout TIME` | on the open connection, in seconds |
//! | `ao_current_key SEND_ID`, `ao_rnext_key RECV_ID` | on the open connection |
//! | `nagle off` (or another word of `Nagle`), `cork on` (or `off`), `push` | on the open connection |
//! | `state NAME` | the state as RFC 9293 writes it |
//! | `error NAME`, `error none` | why the connection ended, as in [`Error`](ackclock::tcp::Error) |
//! | `info FIELD N` | a number of [`Info`](ackclock::tcp::Info), or `search_low`, `search_high`, `path_probes_sent` or `path_probes_lost`; times in milliseconds |
//!
//! # Settings of `check`
//! What would blur a script is off: a connection has Reno and NewReno, an MSS of 1000, 10,000 bytes
//! of receive buffer, no timestamps, no window scaling; it acknowledges every second full segment,
//! or after 40 ms, from the first one on. The rest is as in [`Config`](ackclock::tcp::Config).
//!
//! `set` comes before everything else and knows `mtu N`, `law NAME`, `recovery NAME`, `ecn MODE`, `pacing MODE`, `fast_open MODE`, `fast_open_key HEX`,
//! `md5_key HEX` (32 digits; then all segments are signed, which the option `md5` says), `ao_key ID[/RECV_ID][:SHA1|AES128][:no-options]=KEY`
//! (once for each key of TCP-AO; then all segments are signed, which the option `ao` says), `mss N` (or
//! `link`), `mtu_probing MODE`, `base_mss N`, `send_buffer N`, `receive_buffer N`, `reassembly_ranges N`, `initial_window SEGMENTS`;
//! `window_scaling`, `timestamps` and `sack` with `on` or `off`; `nagle off`, `rfc896` or `minshall`; `ack_policy every`,
//! `ack_policy delayed TIMEOUT QUICK_ACKS`, `ack_policy bsd43`; and, in seconds, `rto INITIAL MIN
//! MAX`, `reuse_metrics`, `give_up`, `syn_give_up`, `user_timeout`, `advertised_user_timeout`, `keepalive IDLE INTERVAL COUNT`, `linger`, `msl`,
//! `fin_wait_2_timeout`.

mod conversation;
mod icmp;
mod info;
mod keep;
mod packet;
mod play;
mod run;
mod setting;
mod signing;
mod stimulate;
#[cfg(test)]
mod tests;
mod time;
mod told;

pub use conversation::{Conversation, FIRST_TIMESTAMP, OUR_STREAM, PEER_STREAM};
pub use icmp::IcmpError;
pub use keep::keep;
pub use packet::Packet;
pub use play::{Failure, Player, Step, play};
pub use run::run;
pub use stimulate::stimulate;
pub use time::{Seconds, When};
pub use told::told;

/// Runs a script and panics with an explanation if it does not hold.
///
/// # Panics
/// If a line cannot be read, or something else happens than it says.
#[track_caller]
pub fn check(script: &str) {
    keep(script);
    if let Err(failure) = run(script) {
        panic!("{failure}");
    }
}
