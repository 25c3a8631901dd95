//! Half-open and TIME-WAIT connections on the wire.

use super::*;

#[test]
fn a_repeated_syn_gets_the_same_syn_ack() {
    let mut pair = Pair::new();
    pair.listen();
    pair.connect();
    let syn = packets(pair.now, &mut pair.client);
    pair.server.on_packet(pair.now, &syn[0]);
    let first = packets(pair.now, &mut pair.server);
    pair.server.on_packet(pair.now, &syn[0]);
    assert_eq!(packets(pair.now, &mut pair.server), Vec::<Vec<u8>>::new(), "too soon");
    pair.now += Duration::from_millis(500);
    pair.server.on_packet(pair.now, &syn[0]);
    let again = packets(pair.now, &mut pair.server);
    let without_time =
        |packet: &[u8]| with_header(packet, |header| header.options.timestamps = None);
    assert_eq!((first.len(), again.len()), (1, 1));
    assert_eq!(without_time(&again[0]), without_time(&first[0]));
}

#[test]
fn a_reset_returns_to_listen_only_with_the_exact_number() {
    let mut pair = Pair::new();
    pair.listen();
    pair.connect();
    let syn = packets(pair.now, &mut pair.client);
    pair.server.on_packet(pair.now, &syn[0]);
    let syn_ack = packets(pair.now, &mut pair.server);
    let next = segment(&syn_ack[0]).header.ack;
    let reset = |seq| {
        with_header(&syn[0], |header| {
            header.flags = Flags::RST;
            header.seq = seq;
        })
    };
    pair.server.on_packet(pair.now, &reset(next + 1));
    let challenge = packets(pair.now, &mut pair.server);
    assert_eq!(shape(&challenge), [(Flags::ACK, "".into())]);
    assert_eq!(segment(&challenge[0]).header.ack, next);
    pair.server.on_packet(pair.now, &reset(next));
    assert_eq!(packets(pair.now, &mut pair.server), Vec::<Vec<u8>>::new());
    assert_eq!(pair.server.poll_at(), Instant::FAR_FUTURE, "the record is gone");
}

#[test]
fn a_wrong_ack_is_reset_and_the_record_stays() {
    let mut pair = Pair::new();
    let listener = pair.listen();
    pair.connect();
    let syn = packets(pair.now, &mut pair.client);
    pair.server.on_packet(pair.now, &syn[0]);
    let syn_ack = packets(pair.now, &mut pair.server);
    pair.client.on_packet(pair.now, &syn_ack[0]);
    let ack = packets(pair.now, &mut pair.client);
    let wrong = with_header(&ack[0], |header| header.ack += 5);
    pair.server.on_packet(pair.now, &wrong);
    let reset = packets(pair.now, &mut pair.server);
    assert_eq!(shape(&reset), [(Flags::RST, "".into())]);
    assert_eq!(segment(&reset[0]).header.seq, segment(&wrong).header.ack);
    pair.server.on_packet(pair.now, &ack[0]);
    assert!(pair.server.accept(listener).is_some());
}

#[test]
fn data_and_fin_of_the_ack_that_finishes_the_handshake_count() {
    let mut pair = Pair::new();
    let listener = pair.listen();
    let client = pair.connect();
    let syn = packets(pair.now, &mut pair.client);
    pair.server.on_packet(pair.now, &syn[0]);
    let syn_ack = packets(pair.now, &mut pair.server);
    pair.client.on_packet(pair.now, &syn_ack[0]);
    pair.client.send(pair.now, client, b"all of it").unwrap();
    pair.client.shutdown(pair.now, client).unwrap();
    let all = packets(pair.now, &mut pair.client);
    assert_eq!(shape(&all), [(Flags::ACK | Flags::PSH | Flags::FIN, "all of it".into())]);
    pair.server.on_packet(pair.now, &all[0]);
    let server = pair.server.accept(listener).unwrap();
    assert_eq!(pair.server.received(server), Ok([&b"all of it"[..], &[]]));
    pair.server.consume(pair.now, server, 9).unwrap();
    assert!(pair.server.readiness(server).unwrap().finished);
}

#[test]
fn time_wait_answers_a_repeated_fin_and_waits_anew() {
    let mut pair = Pair::new();
    let (client, server) = pair.established();
    pair.client.close(pair.now, client).unwrap();
    pair.run();
    pair.server.close(pair.now, server).unwrap();
    pair.now += STEP;
    let fin = packets(pair.now, &mut pair.server);
    pair.client.on_packet(pair.now, &fin[0]);
    let ack = packets(pair.now, &mut pair.client);
    assert_eq!(shape(&ack), [(Flags::ACK, "".into())]);
    let began = pair.now;
    assert_eq!(pair.client.poll_at(), began + Duration::from_secs(60));
    let later = began + Duration::from_secs(10);
    pair.client.on_packet(later, &fin[0]);
    let again = packets(later, &mut pair.client);
    let (first, second) = (segment(&ack[0]).header, segment(&again[0]).header);
    assert_eq!((first.seq, first.ack, first.window), (second.seq, second.ack, second.window));
    assert_eq!(pair.client.poll_at(), later + Duration::from_secs(60));
    let reset = with_header(&fin[0], |header| {
        header.flags = Flags::RST;
        header.seq = first.ack;
    });
    pair.client.on_packet(later, &reset);
    assert_eq!(pair.client.poll_at(), later + Duration::from_secs(60), "RFC 1337");
}
