//! Which keys are for a connection, and which of them it uses.

use super::*;

/// Sections 6.1 and 7.5: who wants another key says so, and the peer changes to it; nothing is lost.
#[test]
fn keys_are_changed_in_mid_connection() {
    let mut pair = pair();
    let (client, server, insider) = pair.established_before();
    add(&mut pair, &SECOND);
    assert_eq!(pair.client.ao_keys(client).collect::<Vec<_>>(), [(1, 2), (3, 4)]);
    pair.client.send(pair.now, client, b"by the first").unwrap();
    pair.run_before(&insider, &FIRST);
    // The server wants to receive by the second: its RecvID there is 3.
    pair.server.set_ao_rnext_key(pair.now, server, 3).unwrap();
    pair.server.send(pair.now, server, b"change").unwrap();
    let wish = packets(pair.now, &mut pair.server).remove(0);
    assert_eq!(key_ids(&wish), Some(KeyIds { key_id: 2, rnext_key_id: 3 }));
    pair.client.on_packet(pair.now, &wish);
    assert_eq!((pair.ao(client).current_key, pair.ao(client).rnext_key), (3, 2));
    assert_eq!(pair.ao(client).received, key_ids(&wish));
    pair.client.send(pair.now, client, b"by the second").unwrap();
    let sent = packets(pair.now, &mut pair.client).remove(0);
    assert_eq!(key_ids(&sent), Some(KeyIds { key_id: 3, rnext_key_id: 2 }));
    assert!(insider.has_signed(&sent, &SECOND, 0));
    pair.server.on_packet(pair.now, &sent);
    assert_eq!(pair.server.received(server).unwrap()[0], *b"by the firstby the second");
    // The other direction follows, and then the first one can go.
    pair.client.set_ao_rnext_key(pair.now, client, 4).unwrap();
    pair.client.send(pair.now, client, b".").unwrap();
    pair.run();
    assert_eq!((pair.ao(client).current_key, pair.ao(client).rnext_key), (3, 4));
    let (now, scopes) = (pair.now, [scope("10.0.0.2/32"), scope("10.0.0.0/24")]);
    pair.client.remove_ao_key(now, &scopes[0], 1, 2).unwrap();
    pair.server.remove_ao_key(now, &scopes[1], 2, 1).unwrap();
    pair.client.send(pair.now, client, b"after").unwrap();
    pair.server.send(pair.now, server, b"after").unwrap();
    assert_eq!(pair.run_before(&insider, &SECOND).len(), 3);
    assert_eq!(dropped(&pair.client), Dropped::default());
    assert_eq!(dropped(&pair.server), Dropped::default());
}

/// Section 7.1: our own choice counts until the peer wishes otherwise; one that it does not have is not taken.
#[test]
fn a_wish_for_a_key_that_is_not_there_changes_nothing() {
    let mut pair = pair();
    let (client, server, insider) = pair.established_before();
    pair.client.add_ao_key(pair.now, &scope("10.0.0.2/32"), &SECOND).unwrap();
    pair.client.set_ao_rnext_key(pair.now, client, 4).unwrap();
    pair.client.send(pair.now, client, b"x").unwrap();
    pair.run_before(&insider, &FIRST);
    assert_eq!(before_of(&pair, server).ao.unwrap().received.unwrap().rnext_key_id, 4);
    assert_eq!(before_of(&pair, server).ao.unwrap().current_key, 2);
    let refused = |result| assert_eq!(result, Err(KeyError::Unknown));
    refused(pair.client.set_ao_current_key(pair.now, client, 9));
    refused(pair.client.set_ao_rnext_key(pair.now, client, 9));
    pair.client.set_ao_current_key(pair.now, client, 3).unwrap();
    assert_eq!(pair.ao(client).current_key, 3);
    pair.client.send(pair.now, client, b"y").unwrap();
    let sent = packets(pair.now, &mut pair.client).remove(0);
    assert!(insider.has_signed(&sent, &SECOND, 0));
}

#[test]
fn keys_are_read_as_they_are_written() {
    let read = AoKey::read;
    let plain = AoKey { send_id: 7, recv_id: 7, key: b"a=b", ..FIRST };
    assert_eq!(read("7=a=b"), Ok(plain));
    assert_eq!(read("7/7:SHA1=a=b"), Ok(plain));
    let other =
        AoKey { send_id: 0, recv_id: 255, algorithm: Aes128Cmac, covers_options: false, key: b"" };
    assert_eq!(read("0/255:AES128:no-options="), Ok(other));
    for text in ["", "7", "=x", "256=x", "1/=x", "1:MD5=x", "-1=x", "1:=x"] {
        assert!(read(text).is_err(), "{text}");
    }
    assert!(!std::format!("{plain:?}").contains("a=b"));
}

/// Section 3.1: "MUST NOT overlap".
#[test]
fn keys_that_cannot_be_are_refused() {
    let mut host = host_with(CLIENT, config());
    let mut add = |peers: &str, port, send_id, recv_id| {
        let key = AoKey { send_id, recv_id, ..FIRST };
        host.add_ao_key(millis(0), &KeyScope { port, ..scope(peers) }, &key)
    };
    assert_eq!(add("10.0.0.0/24", 179, 1, 2), Ok(()));
    assert_eq!(add("10.0.0.0/24", 179, 1, 3), Err(KeyError::IdInUse));
    assert_eq!(add("10.0.0.0/8", 0, 3, 2), Err(KeyError::IdInUse));
    assert_eq!(add("10.0.0.7/32", 0, 1, 9), Err(KeyError::IdInUse));
    assert_eq!(add("10.0.0.0/24", 80, 1, 2), Ok(()), "another service");
    assert_eq!(add("10.0.1.0/24", 179, 1, 2), Ok(()), "other peers");
    assert_eq!(add("10.0.0.0/24", 179, 2, 1), Ok(()), "other numbers");
    let long = KeyScope::of(Cidr { address: [10, 0, 0, 0].into(), prefix: 33 });
    assert_eq!(host.add_ao_key(millis(0), &long, &SECOND), Err(KeyError::Peers));
    for key in [&[][..], &[1; 81]] {
        let key = AoKey { key, ..FIRST };
        let added = host.add_ao_key(millis(0), &scope("10.9.0.0/24"), &key);
        assert_eq!(added, Err(KeyError::Length));
    }
    let scope = scope("10.0.1.0/24");
    assert_eq!(host.remove_ao_key(millis(0), &scope, 1, 2), Err(KeyError::Unknown), "no port");
    let scope = KeyScope { port: 179, ..scope };
    assert_eq!(host.remove_ao_key(millis(0), &scope, 1, 3), Err(KeyError::Unknown));
    assert_eq!(host.remove_ao_key(millis(0), &scope, 1, 2), Ok(()));
}

#[test]
fn connections_end_with_the_last_key_that_signs_them() {
    let mut pair = pair_with(&[FIRST, SECOND], config());
    let (client, _, insider) = pair.established_before();
    let (now, peers) = (pair.now, scope("10.0.0.2/32"));
    pair.client.remove_ao_key(now, &peers, 1, 2).unwrap();
    pair.client.send(now, client, b"by what is left").unwrap();
    pair.run_before(&insider, &SECOND);
    pair.client.remove_ao_key(now, &peers, 3, 4).unwrap();
    let info = pair.client.info(pair.now, client).unwrap();
    assert_eq!((info.state, info.error), (State::Closed, Some(Error::KeyRemoved)));
    assert_eq!(packets(pair.now, &mut pair.client), Vec::<Vec<u8>>::new());
}

#[test]
fn a_connection_that_was_open_before_its_key_goes_on_without() {
    let mut pair = Pair::new();
    let (client, server) = pair.established();
    add(&mut pair, &FIRST);
    pair.client.send(pair.now, client, b"as before").unwrap();
    pair.run();
    assert_eq!(pair.server.received(server).unwrap()[0], *b"as before");
    assert!(!pair.client.info(pair.now, client).unwrap().signed);
    let not_signed = pair.client.set_ao_rnext_key(pair.now, client, 2);
    assert_eq!(not_signed, Err(KeyError::NotSigned));
    assert_eq!(pair.client.ao_keys(client).count(), 0);
}

/// Section 8: which of the two the key says that fits best, and never both.
#[test]
fn md5_and_ao_are_never_on_one_connection() {
    let mut host = host_with(CLIENT, config());
    #[cfg(feature = "tcp-md5")]
    {
        host.set_md5_key(millis(0), &scope("10.0.0.0/24"), b"old").unwrap();
        host.set_md5_key(millis(0), &scope("10.0.0.7/32"), b"old").unwrap();
    }
    host.add_ao_key(millis(0), &scope("10.0.0.0/24"), &FIRST).unwrap();
    let mut kind = |to: &str| {
        host.connect(millis(0), addr(to), None, &Config::default()).unwrap();
        segment(&packets(millis(0), &mut host)[0]).header.options.signature
    };
    assert_eq!(kind("10.0.0.2:80"), Some(SignatureKind::Ao), "of two that fit alike");
    if cfg!(feature = "tcp-md5") {
        assert_eq!(kind("10.0.0.7:80"), Some(SignatureKind::Md5), "it fits better");
    }
}

/// A SYN that was recorded has a right code for ever: it is challenged (RFC 5961 section 4.2) and changes no keys.
#[test]
fn a_recorded_syn_changes_no_keys() {
    let mut pair = pair();
    let listener = pair.listen();
    let client = pair.connect();
    let syn = packets(pair.now, &mut pair.client).remove(0);
    pair.server.on_packet(pair.now, &syn);
    let syn_ack = packets(pair.now, &mut pair.server).remove(0);
    pair.client.on_packet(pair.now, &syn_ack);
    pair.run();
    let server = pair.server.accept(listener).unwrap();
    add(&mut pair, &SECOND);
    pair.client.set_ao_rnext_key(pair.now, client, 4).unwrap();
    pair.client.send(pair.now, client, b"x").unwrap();
    pair.run();
    assert_eq!(before_of(&pair, server).ao.unwrap().current_key, 4);
    pair.server.on_packet(pair.now, &syn);
    assert_eq!(before_of(&pair, server).ao.unwrap().current_key, 4);
    assert_eq!(packets(pair.now, &mut pair.server).len(), 1, "a challenge");
}
