#![allow(missing_docs)]
mod own_stack;
use own_stack::*;
#[test]
fn one() {
    let e = |k: &str, d: &'static str| -> &'static str {
        std::env::var(k).map_or(d, |s| Box::leak(s.into_boxed_str()))
    };
    let run = Run {
        path: e("P", ""),
        law: e("L", "reno"),
        address: e("A", "10.0.0.2"),
        timestamps: e("T", "1") == "1",
        seed: 1,
    };
    let findings = judged(&run);
    for v in findings.verdicts {
        eprintln!("VERDICT {v}");
    }
}
