//! Random short scripts, played to the library and to the kernel; what differs is made small and sorted.
//!
//! | module | holds |
//! | --- | --- |
//! | `draw` | what the peer and the application do, from a seed |
//! | `library` | what the library does then: a whole script |
//! | `history` | what is known of a connection after some lines |
//! | `page` | what was seen, for the documents |
//! | `sort` | what kind of difference it is, and the list of kinds |
//! | `shrink` | the same difference with fewer lines |

pub(crate) mod draw;
mod history;
pub(crate) mod library;
pub(crate) mod page;
pub(crate) mod shrink;
pub(crate) mod sort;
