//! Comparison of our counts with those of tcptrace and tshark, of the same captures. docs/capture_analysis.md explains
//! which counts differ and why.

use crate::namespace::in_namespace;
use crate::others::{is_there, later, tcptrace, tshark};
use crate::{Directory, capture, json};
use serde_json::Value;

/// Kind of a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Path {
    /// Loses packets, and keeps the others in order.
    Loses,
    /// Loses, reorders and duplicates packets.
    Disorders,
}

/// Counts that have the same meaning everywhere: tcptrace's name and ours.
const SAME: [(&str, &str); 15] = [
    ("total packets", "/packets"),
    ("ack pkts sent", "/ack_packets"),
    ("pure acks sent", "/pure_acks"),
    ("sack pkts sent", "/sack_packets"),
    ("dsack pkts sent", "/dsack_packets"),
    ("max sack blks/ack", "/max_sack_blocks"),
    ("unique bytes sent", "/unique_bytes"),
    ("actual data pkts", "/data_packets"),
    ("actual data bytes", "/data_bytes"),
    ("pushed data pkts", "/pushed_packets"),
    ("zero win adv", "/windows/zero"),
    ("max win adv", "/windows/max"),
    ("min win adv", "/windows/min"),
    ("max segm size", "/max_segment"),
    ("truncated packets", "/cut_packets"),
];

/// By less than how many milliseconds a round-trip time of tcptrace's differs from ours: half a tenth, to which it
/// rounds what it prints; a microsecond, to which it cuts the times of both packets; and half of the microsecond to
/// which ours is rounded. A ten-thousandth more is for sums in floating point.
const RTT_DIFFERENCE: f64 = 0.05 + 0.001 + 0.0005 + 0.0001;

/// Compares all counts of the only connection of a capture.
#[track_caller]
fn compare(file: &str, path: Path) {
    let ours = json(file);
    let [connection] = ours["connections"].as_array().expect("connections").as_slice() else {
        panic!("not one connection: {ours}");
    };
    let theirs = tcptrace(file);
    let marks = tshark(file);
    for (way, (name, source)) in [("a_to_b", "a"), ("b_to_a", "b")].into_iter().enumerate() {
        let direction = &connection[name];
        let said = |name: &str| {
            let value = &theirs.get(name).unwrap_or_else(|| panic!("{name}: {theirs:?}"))[way];
            value.parse::<f64>().unwrap_or_else(|_| panic!("{name}: {value}"))
        };
        let count = |pointer: &str| direction.pointer(pointer).and_then(Value::as_u64).unwrap_or(0);
        let same = |what: &str, theirs: u64, ours: u64| {
            assert_eq!(theirs, ours, "{what}, {name} of {file}");
        };
        for (theirs, ours) in SAME {
            same(theirs, said(theirs) as u64, count(ours));
        }
        // If an RST answers the ack of an end's FIN, tcptrace counts that FIN as a byte of the stream that it
        // has not seen.
        let fin = u64::from(count("/fin_packets").min(count("/rst_packets")) > 0);
        same("missed data", said("missed data") as u64, count("/missing_bytes") + fin);
        same("initial window", said("initial window") as u64, count("/initial_window/bytes"));
        let packets = said("initial window again") as u64;
        same("its packets", packets, count("/initial_window/packets"));
        // All retransmitted, duplicated and reordered segments together, since the programs tell these
        // apart in different ways. Neither tcptrace nor tshark counts SYN and FIN separately.
        let copies = count("/retransmitted_packets") + count("/duplicated_packets");
        let all = copies + count("/reordered_packets") + count("/syn_fin_retransmitted");
        let again = said("rexmt data pkts") + said("outoforder pkts");
        same("rexmt and outoforder", again as u64, all);
        let bytes = count("/retransmitted_bytes") + count("/duplicated_bytes");
        // tcptrace counts each retransmitted SYN or FIN as a byte, even one that follows data.
        let numbers = ["/syn_packets", "/fin_packets"].map(|of| count(of).saturating_sub(1));
        let numbers = numbers.iter().sum::<u64>();
        same("rexmt data bytes", said("rexmt data bytes") as u64, bytes + numbers);
        let address = |end: &str| {
            let end = connection[end].as_str().and_then(|end| end.rsplit_once(':'));
            end.expect("address and port").0.to_owned()
        };
        let marked = |end: &str, field| marks.get(&(address(end), field)).copied().unwrap_or(0);
        let of_tshark = |field| marked(source, field);
        same("tshark's", of_tshark("retransmission") + of_tshark("out_of_order"), all);
        // Values are equal to as many digits as tcptrace prints; it reads times in microseconds.
        let near = |what: &str, ours: &str, unit: f64, printed: f64| {
            let ours = direction[ours].as_f64().unwrap_or(0.0) * unit;
            let theirs = said(what);
            assert!((theirs - ours).abs() <= printed, "{what} {name} of {file}: {theirs} {ours}");
        };
        near("throughput", "throughput", 1.0, 2.0);
        near("data xmit time", "data_s", 1.0, 0.001);
        near("idletime max", "idle_max_s", 1e3, 0.1);
        same("keep_alive", of_tshark("keep_alive"), count("/keepalives"));
        same("zero_window", of_tshark("zero_window"), count("/windows/zero"));
        let at_most = |field, ours: u64| {
            assert!(of_tshark(field) <= ours, "{field} {name} of {file}: {ours}");
        };
        if path == Path::Loses {
            at_most("fast_retransmission", count("/causes/fast"));
            at_most("spurious_retransmission", count("/causes/spurious"));
            same("stream length", said("ttl stream length") as u64, count("/stream_bytes") + fin);
            same("RTT samples", said("RTT samples") as u64, count("/rtt/samples"));
            for (theirs, ours) in
                [("RTT min", "min_ms"), ("RTT avg", "avg_ms"), ("RTT max", "max_ms")]
            {
                let rtt = direction["rtt"][ours].as_f64().unwrap_or(0.0);
                let said = said(theirs);
                let difference = (said - rtt).abs();
                assert!(difference < RTT_DIFFERENCE, "{theirs} {name} of {file}: {said} {rtt}");
            }
            // Acks are packets of the other end. tcptrace and tshark also count acks of duplicates that
            // arrive when nothing is outstanding, and of retransmitted FINs.
            let other = if source == "a" { "b" } else { "a" };
            for theirs in [said("duplicate acks") as u64, marked(other, "duplicate_ack")] {
                assert!(theirs >= count("/duplicate_acks"), "{theirs} {name} of {file}");
            }
            // Those in a row are the same where the duplicate acks are.
            let (triple, ours) = (said("triple dupacks") as u64, count("/triple_duplicate_acks"));
            assert!(triple >= ours, "triple dupacks {name} of {file}: {triple} {ours}");
            if said("duplicate acks") as u64 == count("/duplicate_acks") {
                same("triple dupacks", triple, ours);
            }
        }
    }
}

#[test]
fn captures_of_ours_are_told_of_alike() {
    if !(is_there("tcptrace") && is_there("tshark")) {
        return;
    }
    let directory = Directory::new("trace-agreement");
    let run = |name: &str, path, arguments: &str| {
        let file = directory.path(name);
        capture(&file, &arguments.split(' ').collect::<Vec<_>>());
        compare(&later(&file), path);
    };
    run("rack.pcap", Path::Loses, "discard --bytes 1M --path loss=2%");
    run("newreno.pcap", Path::Loses, "discard --bytes 300k --path loss=5% --cc newreno");
    run(
        "timeouts.pcap",
        Path::Loses,
        "discard --bytes 200k --path loss=8% --cc tahoe --recovery go-back-n",
    );
    let disorder = "--path loss=1%,duplicate=2%,reorder=3%:10ms";
    run("disorder.pcap", Path::Disorders, &format!("discard --bytes 1M {disorder}"));
    run("both-ways.pcap", Path::Disorders, &format!("echo --bytes 500k {disorder}"));
}

/// A transfer between two kernels across `path`, captured at both ends.
fn between_kernels(directory: &Directory, path: &str) -> Option<[String; 2]> {
    if !(is_there("tcptrace") && is_there("tshark") && is_there("dumpcap")) {
        return None;
    }
    let files = [directory.path("left.pcap"), directory.path("right.pcap")];
    let [left, right] = &files;
    // At the left end only the headers are captured.
    let script = format!(
        r#"
        mkdir /run/netns
        ip netns add a
        ip netns add b
        begin path emulating "$A" emulate --left ns:a/tun0=10.9.0.1/24 \
            --right ns:b/tun0=10.9.0.2/24 --path {path}
        begin left File: ip netns exec a dumpcap -P -i tun0 -s 96 -f tcp -w {left}
        begin right File: ip netns exec b dumpcap -P -i tun0 -f tcp -w {right}
        begin service serving ip netns exec b "$A" serve discard --via kernel --port 9 --once
        service=$!
        ip netns exec a bash -c 'head -c 1M /dev/zero >/dev/tcp/10.9.0.2/9'
        wait $service
        # Of each end: one of them may come twice before the other's first.
        fins() {{
            tshark -r "$1" -Y tcp.flags.fin==1 -T fields -e ip.src 2>/dev/null | sort -u | wc -l
        }}
        for file in {left} {right}; do
            until [ "$(fins $file)" -ge 2 ]; do sleep 0.1; done
        done
        "#
    );
    let output = in_namespace(&script)?;
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    Some(files)
}

#[test]
fn captures_of_kernels_that_lose_are_told_of_alike() {
    let directory = Directory::new("trace-kernels-lose");
    let path = "rate=20mbit,delay=10ms,loss=1%,queue=200";
    let Some(files) = between_kernels(&directory, path) else { return };
    files.iter().for_each(|file| compare(file, Path::Loses));
    // The near end has seen the original of every retransmission. The far end sees nothing reordered,
    // and does not see the retransmissions that were lost.
    let [near, far] = files.each_ref().map(|file| json(file)["connections"][0]["a_to_b"].clone());
    assert_eq!(
        (near["first_unseen_packets"].as_u64(), far["reordered_packets"].as_u64()),
        (Some(0), Some(0))
    );
    assert!(near["retransmitted_packets"].as_u64() >= far["retransmitted_packets"].as_u64());
}

#[test]
fn captures_of_kernels_across_disorder_are_told_of_alike() {
    let directory = Directory::new("trace-kernels-disorder");
    let path = "rate=20mbit,delay=10ms,loss=1%,duplicate=2%,reorder=3%:4ms,queue=200";
    let Some(files) = between_kernels(&directory, path) else { return };
    files.iter().for_each(|file| compare(file, Path::Disorders));
    // The near end sees neither copies nor disorder, the far end sees both.
    let [near, far] = files.each_ref().map(|file| json(file)["connections"][0]["a_to_b"].clone());
    for field in ["reordered_packets", "duplicated_packets"] {
        assert_eq!(near[field].as_u64(), Some(0), "{near}");
        assert!(far[field].as_u64() > Some(0), "{far}");
    }
}
