//! The shop and its client over TUN, with the kernel's programs at the other end.
#![cfg(target_os = "linux")]

#[path = "../../../crates/ackclock-host/tests/kernel/namespace.rs"]
mod namespace;
mod support;

use ackclock_programs::http::pattern;
use namespace::in_namespace;
use support::{Ended, interface, output, wait_for};

const HYPER: &str = env!("CARGO_BIN_EXE_hyper");

#[test]
fn curl_gets_pages_and_places_orders() {
    in_namespace(|| {
        interface("tun0", "10.7.0.2/24");
        let _server = Ended::spawn(HYPER, &["serve", "--tun", "tun0"]);
        wait_for("10.7.0.2:80");
        let get = |path: &str| {
            let url = format!("http://10.7.0.2/{path}");
            output("curl", &["--silent", "--show-error", "--fail", "--max-time", "60", &url])
        };
        assert!(get("pattern/20000000") == pattern(0, 20_000_000));
        // A large body the other way; curl asks first whether it may (100-continue).
        let folder = support::folder("hyper-curl");
        let order = folder.join("order");
        std::fs::write(&order, pattern(7, 20_000_000)).unwrap();
        let body = format!("@{}", order.display());
        let number = output(
            "curl",
            &["--silent", "--max-time", "60", "--data-binary", &body, "http://10.7.0.2/orders"],
        );
        assert_eq!(number, b"0");
        assert_eq!(get("orders"), b"1");
        assert!(get("orders/0") == pattern(7, 20_000_000));
        // Two pages over one connection.
        let pages = output(
            "curl",
            &[
                "--silent",
                "--max-time",
                "60",
                "--write-out",
                "%{num_connects}",
                "http://10.7.0.2/pattern/[3-4]",
            ],
        );
        assert_eq!(pages, [&pattern(0, 3)[..], b"1", &pattern(0, 4), b"0"].concat());
        std::fs::remove_dir_all(folder).unwrap();
    });
}

#[test]
fn the_client_gets_a_page_of_pythons_server() {
    in_namespace(|| {
        interface("tun0", "10.7.0.2/24");
        let folder = support::folder("hyper-python");
        std::fs::write(folder.join("page"), pattern(3, 5_000_000)).unwrap();
        let place = folder.to_str().unwrap();
        let options = ["-m", "http.server", "--bind", "10.7.0.1", "--directory", place, "8000"];
        let _server = Ended::spawn("python3", &options);
        wait_for("10.7.0.1:8000");
        let page = output(HYPER, &["get", "--tun", "tun0", "http://10.7.0.1:8000/page"]);
        assert!(page == pattern(3, 5_000_000), "{} bytes", page.len());
        std::fs::remove_dir_all(folder).unwrap();
    });
}
