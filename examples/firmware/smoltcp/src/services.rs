//! Echo, discard and chargen over smoltcp's sockets.

use smoltcp::socket::tcp::{Socket, State};

/// Bytes that are moved at a time; ackclock's services move as many.
const CHUNK: usize = 256;

/// The service of a socket.
#[derive(Clone, Copy, Debug)]
pub enum Service {
    /// Sends received data back.
    Echo,
    /// Discards received data.
    Discard,
    /// Sends lines of rotating characters; the number of bytes sent so far.
    Chargen(usize),
}

/// Characters from the space to the tilde, in lines of 72 (RFC 864).
const CHARACTERS: usize = 95;
const LINE: usize = 72;
const END: &[u8] = b"\r\n";

/// Every line lies in it.
const RING: [u8; CHARACTERS + LINE] = {
    let mut ring = [0; CHARACTERS + LINE];
    let mut at = 0;
    while at < ring.len() {
        ring[at] = b' ' + (at % CHARACTERS) as u8;
        at += 1;
    }
    ring
};

/// Writes the stream from `offset` on.
fn fill(mut data: &mut [u8], offset: usize) {
    let mut line = offset / (LINE + END.len()) % CHARACTERS;
    let mut skipped = offset % (LINE + END.len());
    while !data.is_empty() {
        for part in [&RING[line..line + LINE], END] {
            let start = skipped.min(part.len());
            skipped -= start;
            let count = data.len().min(part.len() - start);
            data[..count].copy_from_slice(&part[start..start + count]);
            data = &mut data[count..];
        }
        line = (line + 1) % CHARACTERS;
    }
}

/// Does what can be done now.
pub fn serve(socket: &mut Socket<'_>, service: &mut Service) {
    if !socket.is_open() {
        let port = match service {
            Service::Echo => 7,
            Service::Discard => 9,
            Service::Chargen(sent) => {
                *sent = 0;
                19
            }
        };
        let _ = socket.listen(port);
        return;
    }
    match service {
        Service::Echo => echo(socket),
        Service::Discard => {
            while socket.can_recv() && socket.recv(|data| (data.len(), ())).is_ok() {}
        }
        Service::Chargen(sent) => {
            while socket.can_send() {
                let written = socket.send(|room| {
                    fill(room, *sent);
                    (room.len(), room.len())
                });
                *sent += written.unwrap_or_default();
            }
        }
    }
    if socket.state() == State::CloseWait && socket.recv_queue() == 0 {
        socket.close();
    }
}

fn echo(socket: &mut Socket<'_>) {
    let mut chunk = [0; CHUNK];
    loop {
        let room = socket.send_capacity() - socket.send_queue();
        let chunk = &mut chunk[..room.min(CHUNK)];
        let Ok(received) = socket.recv_slice(chunk) else { return };
        if received == 0 || socket.send_slice(&chunk[..received]).is_err() {
            return;
        }
    }
}
