//! Two stacks exchange a message in memory: no driver, no thread, no clock. All there is to driving
//! a stack is in [`exchange`].

use ackclock::congestion::BuiltIn;
use ackclock::stack::{
    Capabilities, Cidr, Event, Handle, ListenConfig, Stack, StackConfig, Storage, Transmit,
};
use ackclock::tcp::{Config, ReceiveError};
use ackclock::time::{Duration, Instant};
use std::error::Error;
use std::net::SocketAddr;

/// Time that a packet travels.
const DELAY: Duration = Duration::from_millis(10);

fn main() -> Result<(), Box<dyn Error>> {
    let (answer, now) = converse(b"Is anybody there?")?;
    println!("{}", String::from_utf8_lossy(&answer));
    println!("after {now} of virtual time");
    Ok(())
}

/// Sends `question` to a peer, which answers it, and returns the answer and when the conversation
/// was over.
fn converse(question: &[u8]) -> Result<(Vec<u8>, Instant), Box<dyn Error>> {
    let mut client = stack("10.0.0.1", [1, 2])?;
    let mut server = stack("10.0.0.2", [3, 4])?;
    let service: SocketAddr = "10.0.0.2:7777".parse()?;
    let listener = server.listen(ListenConfig::new(service))?;

    let mut now = Instant::ZERO;
    let asking = client.connect(now, service, None, &Config::default())?;
    let mut answering = None;
    let mut heard = Vec::new();
    let mut answer = Vec::new();
    let mut asked = false;
    loop {
        while let Some(event) = client.poll_event() {
            let Event::Connection { readiness, .. } = event else {
                continue;
            };
            if readiness.established && !asked {
                asked = true;
                client.send(now, asking, question)?;
                client.shutdown(now, asking)?;
            }
            if readiness.readable && read(&mut client, now, asking, &mut answer)? {
                return Ok((answer, now));
            }
        }
        while let Some(event) = server.poll_event() {
            match event {
                Event::Acceptable(_) => answering = server.accept(listener),
                Event::Connection { handle, readiness }
                    if readiness.readable
                        && answering == Some(handle)
                        && read(&mut server, now, handle, &mut heard)? =>
                {
                    let reply = format!("You said: {}", String::from_utf8_lossy(&heard));
                    server.send(now, handle, reply.as_bytes())?;
                    server.close(now, handle)?;
                }
                _ => {}
            }
        }
        now = exchange(now, &mut client, &mut server).ok_or("nothing more will happen")?;
    }
}

/// A stack with one address.
fn stack(address: &str, secret: [u64; 2]) -> Result<Stack<'static>, Box<dyn Error>> {
    let config = StackConfig::new(Capabilities::with_mtu(1500), secret);
    let mut stack = Stack::new(config, BuiltIn::default(), Storage::growing())?;
    stack.add_address(Cidr { address: address.parse()?, prefix: 24 })?;
    Ok(stack)
}

/// Appends all that was received to `to`; returns whether the peer has finished.
fn read(
    stack: &mut Stack<'_>,
    now: Instant,
    handle: Handle,
    to: &mut Vec<u8>,
) -> Result<bool, ReceiveError> {
    let mut bytes = [0; 1024];
    loop {
        match stack.receive(now, handle, &mut bytes) {
            Ok(n) => to.extend_from_slice(&bytes[..n]),
            Err(ReceiveError::WouldBlock) => return Ok(false),
            Err(ReceiveError::Finished) => return Ok(true),
            Err(error) => return Err(error),
        }
    }
}

/// Carries what each side has to send to the other, or waits for the next timer if there is nothing.
/// Returns when that was; `None` if no timer is pending either.
fn exchange(now: Instant, a: &mut Stack<'_>, b: &mut Stack<'_>) -> Option<Instant> {
    let (from_a, from_b) = (packets(now, a), packets(now, b));
    if from_a.is_empty() && from_b.is_empty() {
        let deadline = a.poll_at().min(b.poll_at());
        if deadline.is_never() {
            return None;
        }
        a.on_timeout(deadline);
        b.on_timeout(deadline);
        return Some(deadline);
    }
    let now = now + DELAY;
    from_a.iter().for_each(|packet| {
        b.on_packet(now, packet);
    });
    from_b.iter().for_each(|packet| {
        a.on_packet(now, packet);
    });
    Some(now)
}

/// Everything that a stack has to send now.
fn packets(now: Instant, stack: &mut Stack<'_>) -> Vec<Vec<u8>> {
    let mut packets = Vec::new();
    let mut take = |transmit: &Transmit<'_>| {
        packets.push([transmit.header, transmit.payload[0], transmit.payload[1]].concat());
        Ok(())
    };
    while stack.transmit(now, &mut take).is_taken() {}
    packets
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_question_comes_back_with_the_answer() {
        let (answer, _) = super::converse(b"Hello").unwrap();
        assert_eq!(answer, b"You said: Hello");
    }
}
