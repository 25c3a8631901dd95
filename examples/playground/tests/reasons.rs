//! What the page is told of single packets.

use ackclock_playground::{Advanced, Session};
use serde_json::Value;

/// A scenario of one flow from left to right.
fn scenario(bottleneck: &str, connection: &str, flow: &str) -> String {
    format!(
        "seed = 1\nduration = \"4s\"\n[connection]\nack_policy = \"delayed=40ms/0\"\n{connection}\n[dumbbell]\n\
         bottleneck = \"rate=10mbit,delay=20ms,queue=100,{bottleneck}\"\n\
         back = \"rate=10mbit,delay=20ms,loss=0\"\n\
         access = [\"rate=1gbit,delay=0.1ms,loss=0\"]\n\
         [[flows]]\nfrom = \"sender1\"\nto = \"receiver1\"\n{flow}\n"
    )
}

const LARGE: &str = "bytes = \"300kB\"";

/// All packets of a scenario in words, in the order in which they were sent.
fn packets(text: &str) -> Vec<Value> {
    let mut session = Session::start(text).unwrap();
    while session.advance(1000).unwrap() == Advanced::Running {}
    let described = |number| serde_json::from_str(&session.describe(number)?).ok();
    (0..).map_while(described).collect()
}

fn name(packet: &Value) -> &str {
    packet["name"].as_str().unwrap()
}

/// The first packet of that name.
fn first<'p>(packets: &'p [Value], wanted: &str) -> &'p Value {
    let names: Vec<_> = packets.iter().map(name).collect();
    packets.iter().find(|packet| name(packet) == wanted).unwrap_or_else(|| panic!("{names:?}"))
}

#[test]
fn a_handshake_and_the_first_window_say_what_they_are() {
    let packets = packets(&scenario("loss=0", "initial_window = 2", LARGE));
    let names: Vec<_> = packets.iter().map(name).take(6).collect();
    assert_eq!(names, ["SYN", "SYN-ACK", "new data", "new data", "ack", "new data"]);
    assert_eq!(
        packets[2]["why"],
        "The window of 2\u{202f}896 bytes had room for what the application wrote."
    );
    let several = first(&packets, "ack of several");
    assert_eq!(several["why"], "2 segments have arrived since the last ack.");
}

#[test]
fn a_lost_segment_is_sent_again_by_fast_retransmit() {
    let packets = packets(&scenario("loss=packets:20", "", LARGE));
    let again = first(&packets, "fast retransmit");
    assert_eq!(again["earlier"]["fate"], "lost on the line");
    let earlier = &packets[again["earlier"]["number"].as_u64().unwrap() as usize];
    assert_eq!(earlier["header"][3], again["header"][3]);
    assert_eq!(name(earlier), "new data");
    assert_eq!(packets.iter().filter(|packet| name(packet) == "fast retransmit").count(), 1);
    assert_eq!(packets.iter().filter(|packet| name(packet) == "ack, gap filled").count(), 1);
}

#[test]
fn a_segment_that_nobody_answers_is_sent_again_by_the_timer() {
    let packets = packets(&scenario("loss=0,outage=100ms..1s:lose", "", LARGE));
    let probe = first(&packets, "tail loss probe");
    let timeout = first(&packets, "timeout");
    assert!(probe["number"].as_u64() < timeout["number"].as_u64());
    assert_eq!(timeout["earlier"]["fate"], "lost in an outage");
}

#[test]
fn an_ack_that_waited_says_for_how_long() {
    let packets = packets(&scenario("loss=0", "", "bytes = 2896\npause = \"1s\"\nbursts = 2"));
    let delayed = first(&packets, "delayed ack");
    assert_eq!(delayed["why"], "A segment waited 40 ms for another; none came in time.");
}

#[test]
fn a_packets_way_leads_from_host_to_host() {
    let packets = packets(&scenario("loss=0", "", LARGE));
    let way: Vec<_> = packets[0]["journey"].as_array().unwrap().iter().collect();
    let steps: Vec<_> = way.iter().map(|step| step[1].as_str().unwrap()).collect();
    assert_eq!(
        steps,
        [
            "sent by its host",
            "at the bottleneck's queue",
            "onto the line, first bit",
            "last bit on the line",
            "at the other end of the line",
            "delivered",
        ]
    );
    // 60 bytes take 480 ns at a gigabit per second and 48 µs at ten megabits; the delays are 0.1, 20 and 0.1 ms.
    assert_eq!(way[5][0].as_f64(), Some(0.020_248_96));
}

#[test]
fn a_host_that_takes_time_for_a_packet_acts_on_it_later() {
    let mut text = scenario("loss=0", "", LARGE);
    for host in ["sender1", "receiver1"] {
        text += &format!("[[hosts]]\nname = \"{host}\"\nprocessing = \"0.1ms\"\n");
    }
    let packets = packets(&text);
    let names: Vec<_> = packets.iter().map(name).take(4).collect();
    assert_eq!(names, ["SYN", "SYN-ACK", "new data", "new data"]);
    assert!(packets.iter().all(|packet| name(packet) != "control"));
    let clocked = packets.iter().rfind(|packet| name(packet) == "new data").unwrap();
    assert!(clocked["why"].as_str().unwrap().ends_with("the ack clock."), "{clocked}");
}
