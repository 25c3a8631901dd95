//! What the page can call: functions of numbers, and bytes in the memory that both share.
//!
//! Text goes in through [`ackclock_input`], which says where to write it, and comes out where
//! [`ackclock_text`] says. The attribute by which a function keeps its name counts as unsafe, since two
//! of one name would be one; these names begin with the project's, and nothing else here is unsafe:
//! no pointer is followed on this side.
#![allow(unsafe_code)]

use crate::session::{Advanced, Session};
use std::cell::RefCell;

/// What lies between the page and a session.
#[derive(Default)]
struct Desk {
    session: Option<Session>,
    /// Text from the page.
    input: Vec<u8>,
    /// Text for the page.
    text: String,
}

thread_local! {
    /// A page has one thread.
    static DESK: RefCell<Desk> = RefCell::new(Desk::default());
}

fn on_desk<R>(action: impl FnOnce(&mut Desk) -> R) -> R {
    DESK.with_borrow_mut(action)
}

impl Desk {
    fn say(&mut self, text: String) -> usize {
        self.text = text;
        self.text.len()
    }
}

/// Makes room for a text of so many bytes, and says where.
#[unsafe(no_mangle)]
extern "C" fn ackclock_input(length: usize) -> *mut u8 {
    on_desk(|desk| {
        desk.input = vec![0; length];
        desk.input.as_mut_ptr()
    })
}

/// Where the last text for the page begins.
#[unsafe(no_mangle)]
extern "C" fn ackclock_text() -> *const u8 {
    on_desk(|desk| desk.text.as_ptr())
}

/// Begins to run the scenario that was written to the input, in place of the one before. Returns the length
/// of a text that says what is wrong with it; 0: nothing.
#[unsafe(no_mangle)]
extern "C" fn ackclock_start() -> usize {
    on_desk(|desk| {
        desk.session = None;
        let text = String::from_utf8_lossy(&desk.input).into_owned();
        match Session::start(&text) {
            Ok(session) => {
                desk.session = Some(session);
                0
            }
            Err(problem) => desk.say(problem),
        }
    })
}

/// Runs on for at most so many instants. Returns 0: there is more; 1: it is over; 2: it is cut short, since
/// it has too many packets; 3: it failed.
#[unsafe(no_mangle)]
extern "C" fn ackclock_advance(instants: u32) -> u32 {
    on_desk(|desk| match desk.session.as_mut().map(|session| session.advance(instants)) {
        Some(Ok(advanced)) => advanced as u32,
        Some(Err(problem)) => {
            desk.say(problem);
            3
        }
        None => Advanced::Over as u32,
    })
}

/// Seconds of virtual time that are over.
#[unsafe(no_mangle)]
extern "C" fn ackclock_now() -> f64 {
    on_desk(|desk| desk.session.as_ref().map_or(0.0, Session::now))
}

/// The number of rows of a table.
#[unsafe(no_mangle)]
extern "C" fn ackclock_rows(table: usize) -> usize {
    on_desk(|desk| {
        let session = desk.session.as_ref();
        let rows = |session: &Session| session.tables().all().get(table).map(|(_, it)| it.rows());
        session.and_then(rows).unwrap_or(0)
    })
}

/// Where the numbers of a column begin; they move when there are more.
#[unsafe(no_mangle)]
extern "C" fn ackclock_column(table: usize, column: usize) -> *const u8 {
    on_desk(|desk| {
        let session = desk.session.as_ref();
        let column = |session: &Session| session.tables().all().get(table)?.1.column(column);
        session.and_then(column).unwrap_or(std::ptr::null())
    })
}

/// Says which tables and columns there are, as JSON. Returns the length of the text, as all that follow do.
#[unsafe(no_mangle)]
extern "C" fn ackclock_layout() -> usize {
    on_desk(|desk| desk.say(crate::columns::Tables::default().layout()))
}

/// Describes a packet as JSON; 0: there is none of that number.
#[unsafe(no_mangle)]
extern "C" fn ackclock_describe(packet: usize) -> usize {
    on_desk(|desk| {
        let described = desk.session.as_ref().and_then(|session| session.describe(packet));
        described.map_or(0, |text| desk.say(text))
    })
}

/// What came of the whole, as JSON.
#[unsafe(no_mangle)]
extern "C" fn ackclock_summary() -> usize {
    on_desk(|desk| {
        let summary = desk.session.as_ref().map(Session::summary);
        summary.map_or(0, |text| desk.say(text))
    })
}
