//! A table of socket calls, whoever answers them: the library, or the kernel.

use crate::table::{Init, Table};
use std::ops::Deref;

/// The calls of one player.
#[derive(Clone, Copy)]
pub(crate) struct Library(Table);

impl Library {
    /// A table that `init` fills in.
    pub(crate) fn new(init: Init, flags: &str) -> Self {
        Library(Table::new(init, flags))
    }
}

impl Deref for Library {
    type Target = Table;

    fn deref(&self) -> &Table {
        &self.0
    }
}
