//! The echo server with ten thousand clients of the kernel's at once.
#![cfg(target_os = "linux")]

#[path = "../../../crates/ackclock-host/tests/kernel/namespace.rs"]
mod namespace;
mod support;

use namespace::in_namespace;
use support::{Ended, interface, output, wait_for};

const ECHO: &str = env!("CARGO_BIN_EXE_echo");
const CLIENTS: &str = "10000";

/// Opens so many connections, has each say its own bytes twice while all are open, and prints how many heard
/// theirs.
const SCRIPT: &str = r#"
import asyncio, random, resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (20_000, 20_000))

async def say(reader, writer, number):
    data = random.Random(number).randbytes(1_000)
    writer.write(data)
    return await reader.readexactly(len(data)) == data

async def main(clients):
    opening = asyncio.Semaphore(500)
    async def connect():
        async with opening:
            return await asyncio.open_connection("10.7.0.2", 7)
    streams = await asyncio.gather(*(connect() for _ in range(clients)))
    for again in range(2):
        heard = await asyncio.gather(*(say(*stream, n) for n, stream in enumerate(streams)))
    print(sum(heard), flush=True)
    sys.stdin.read()

asyncio.run(asyncio.wait_for(main(int(sys.argv[1])), 100))
"#;

/// Resident memory of a process, in bytes.
fn resident(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

#[test]
fn ten_thousand_clients_hear_what_they_say() {
    in_namespace(|| {
        interface("tun0", "10.7.0.2/24");
        let server = Ended::spawn(ECHO, &["tun0", "10.7.0.2:7"]);
        wait_for("10.7.0.2:7");
        let before = resident(server.0.id());
        let heard = output("python3", &["-c", SCRIPT, CLIENTS]);
        let each = (resident(server.0.id()) - before) / 10_000;
        println!("{each} bytes of resident memory for each of {CLIENTS} connections");
        assert_eq!(String::from_utf8(heard).unwrap().trim(), CLIENTS);
    });
}
