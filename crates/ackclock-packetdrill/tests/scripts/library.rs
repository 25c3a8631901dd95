//! The library as packetdrill loads it: one symbol of a shared object.

use crate::table::{Init, Table};
use libc::c_int;
use libloading::os::unix::{Library as Object, RTLD_LOCAL, RTLD_NOW};
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::OnceLock;

/// RTLD_NODELETE and RTLD_DEEPBIND of the GNU C library, as packetdrill sets them.
const NODELETE: c_int = 0x1000;
const DEEPBIND: c_int = 0x0008;
/// The table for one script.
#[derive(Clone, Copy)]
pub(crate) struct Library(Table);

impl Library {
    /// A new stack with these flags, driven by this thread.
    pub(crate) fn new(flags: &str) -> Self {
        Library(Table::new(init(), flags))
    }
}

impl Deref for Library {
    type Target = Table;

    fn deref(&self) -> &Table {
        &self.0
    }
}

pub(crate) fn path() -> PathBuf {
    beside("libackclock_packetdrill.so")
}

/// Where the build put a library: beside the tests, or one folder above.
pub(crate) fn beside(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a test knows where it is");
    let folders = test.ancestors().skip(1).take(2);
    let mut places = folders.map(|folder| folder.join(name));
    places.find(|path| path.exists()).expect("the library was built with its tests")
}

fn init() -> Init {
    static INIT: OnceLock<Init> = OnceLock::new();
    *INIT.get_or_init(|| {
        // SAFETY: loading the library runs no code of its own.
        let object =
            unsafe { Object::open(Some(path()), RTLD_NOW | RTLD_LOCAL | NODELETE | DEEPBIND) };
        let object = object.expect("the library can be loaded");
        // SAFETY: the symbol has this type, and the object is never unloaded.
        unsafe { *object.get::<Init>(b"packetdrill_interface_init").expect("the exported symbol") }
    })
}
