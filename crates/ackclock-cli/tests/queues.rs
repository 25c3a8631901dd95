//! `--queues`: several queues of a TUN interface, against the kernel of this machine.
#![cfg(target_os = "linux")]

mod namespace;

use namespace::{in_namespace, reports};

#[test]
fn each_queue_has_a_connection_and_together_they_echo_every_byte() {
    let script = r#"
        ours="--tun ack0 --address 10.7.0.2/24 --queues 2"
        for offload in on off; do
            serve kernel echo --via kernel --port 7 --json
            kernel=$!
            # The interface is made for the run.
            "$A" echo 10.7.0.1:7 $ours --offload $offload --bytes 3000001 --json
            kill -INT $kernel
            wait $kernel
            cat "$work/kernel"
        done
        # One that stays, and is used twice, differently.
        "$A" setup tun ack0 --address 10.7.0.2/24 --queues 2 >/dev/null
        for offload in on off; do
            serve kernel echo --via kernel --port 7 --json
            kernel=$!
            "$A" echo 10.7.0.1:7 $ours --offload $offload --bytes 3000001 --json
            kill -INT $kernel
            wait $kernel
            cat "$work/kernel"
        done
    "#;
    let Some(output) = in_namespace(script) else {
        return;
    };
    let reports = reports(&output);
    assert_eq!(reports.len(), 8, "a client and a service for each run");
    for (run, offloading) in reports.chunks(2).zip([true, false, true, false]) {
        let [client, service] = run else {
            panic!("two reports");
        };
        assert_eq!(client["parameters"]["queues"], 2);
        assert_eq!(client["offloading"], offloading);
        assert_eq!(client["totals"]["received_bytes"], 3_000_001);
        let connections = client["connections"].as_array().expect("several connections");
        let received: Vec<_> =
            connections.iter().map(|each| &each["totals"]["received_bytes"]).collect();
        assert_eq!(received, [1_500_001, 1_500_000]);
        assert!(client["processor"]["cpu_seconds_per_gigabyte"].as_f64() > Some(0.0));
        assert_eq!(service["completed_connections"], 2);
        assert_eq!(service["sent_bytes"], 3_000_001);
    }
}

#[test]
fn clients_of_the_kernel_get_back_what_they_send_whichever_queue_they_come_to() {
    let script = r#"
        head -c 1000000 /dev/urandom >"$work/sent"
        client() {
            exec 3<>/dev/tcp/10.7.0.2/7
            cat "$work/sent" >&3 &
            head -c 1000000 <&3 | cmp - "$work/sent"
            wait $!
        }
        for offload in on off; do
            serve ours echo --tun ack0 --address 10.7.0.2/24 --queues 2 --offload $offload --json
            ours=$!
            clients=
            for each in 1 2 3 4 5 6 7 8; do
                client &
                clients="$clients $!"
            done
            for each in $clients; do wait $each; done
            kill -INT $ours
            wait $ours
            cat "$work/ours"
        done
    "#;
    let Some(output) = in_namespace(script) else {
        return;
    };
    let reports = reports(&output);
    assert_eq!(reports.len(), 2);
    for (served, offloading) in reports.iter().zip([true, false]) {
        assert_eq!(served["offloading"], offloading);
        assert_eq!(served["accepted_connections"], 8);
        assert_eq!(served["failed_connections"], 0);
        assert_eq!(served["received_bytes"], 8_000_000);
        assert_eq!(served["sent_bytes"], 8_000_000);
        assert!(served["processor"]["cpu_seconds_per_gigabyte"].as_f64() > Some(0.0));
    }
}

#[test]
fn an_interface_that_was_made_otherwise_is_refused_with_the_command_that_helps() {
    let script = r#"
        address="--address 10.7.0.2/24"
        "$A" setup tun one $address >/dev/null
        "$A" setup tun two $address --queues 2 >/dev/null
        refused() {
            status=0
            "$@" 2>&1 >/dev/null || status=$?
            [ $status = 3 ]
        }
        refused "$A" discard 10.7.0.1:9 --tun one $address --queues 2
        refused "$A" discard 10.7.0.1:9 --tun two $address
        refused "$A" setup tun one $address --queues 2
        refused "$A" setup tun two $address
        refused "$A" setup tun lo $address --queues 2
        serve ours discard --tun two $address --queues 2
        refused "$A" discard 10.7.0.1:9 --tun two $address --queues 2
    "#;
    let Some(output) = in_namespace(script) else {
        return;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let single = "interface one was not made for several queues";
    let several = "interface two was made for several queues: use it with --queues 2";
    let helps = [
        single,
        several,
        single,
        several,
        "lo exists and is not a plain TUN interface",
        "another program is attached to interface two",
    ];
    assert_eq!(text.lines().count(), helps.len(), "{text}");
    for (line, help) in text.lines().zip(helps) {
        assert!(line.contains(help), "{line}");
    }
}
