//! The header is the interface.

use std::path::Path;

#[test]
fn the_header_is_what_cbindgen_makes_of_this_crate() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(folder.join("cbindgen.toml")).unwrap();
    let bindings = cbindgen::generate_with_config(folder, config).unwrap();
    let mut made = Vec::new();
    bindings.write(&mut made);
    let made = String::from_utf8(made).unwrap();
    let path = folder.join("include/ackclock.h");
    // So it is brought up to date: UPDATE_HEADER=1 cargo test -p ackclock-capi
    if std::env::var_os("UPDATE_HEADER").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let committed = std::fs::read_to_string(path).unwrap();
    assert!(
        made == committed,
        "include/ackclock.h is not up to date, see this test; it would be:\n{made}"
    );
}
