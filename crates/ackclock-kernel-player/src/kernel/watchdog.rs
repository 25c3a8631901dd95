//! Ends calls that would wait for ever, since the kernel does not do what the script says: by a signal, so that they
//! answer EINTR.

use super::device::now;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Once};
use std::thread;
use std::time::Duration;

/// Longest time in microseconds that a call of a script's own thread takes.
const PATIENCE: i64 = 3_000_000;

/// One thread that makes calls: its POSIX identity and when its call has to be over, or 0.
#[derive(Default)]
pub(crate) struct Watched {
    thread: AtomicU64,
    deadline: AtomicI64,
}

static WATCHED: Mutex<Vec<Arc<Watched>>> = Mutex::new(Vec::new());
static START: Once = Once::new();

extern "C" fn nothing(_: libc::c_int) {}

/// Watches the calling thread.
pub(crate) fn watch() -> Arc<Watched> {
    START.call_once(start);
    // SAFETY: it only asks for this thread's identity.
    let thread = AtomicU64::new(unsafe { libc::pthread_self() });
    let watched = Arc::new(Watched { thread, deadline: AtomicI64::new(0) });
    WATCHED.lock().expect("no thread has failed").push(watched.clone());
    watched
}

impl Watched {
    /// Makes a call that waits no longer than [`PATIENCE`].
    pub(crate) fn call<T>(&self, call: impl FnOnce() -> T) -> T {
        self.deadline.store(now() + PATIENCE, Ordering::SeqCst);
        let answer = call();
        self.deadline.store(0, Ordering::SeqCst);
        answer
    }

    /// Has the thread's call end soon, from another thread, and again until it does.
    pub(crate) fn end(&self) {
        self.deadline.store(1, Ordering::SeqCst);
    }

    /// The thread is over.
    pub(crate) fn forget(self: &Arc<Self>) {
        let mut all = WATCHED.lock().expect("no thread has failed");
        all.retain(|other| !Arc::ptr_eq(other, self));
    }
}

fn start() {
    // SAFETY: the handler does nothing; without SA_RESTART calls answer EINTR.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = nothing as *const () as usize;
        libc::sigaction(libc::SIGUSR1, &action, std::ptr::null_mut());
    }
    thread::spawn(|| {
        loop {
            thread::sleep(Duration::from_millis(50));
            let now = now();
            for watched in WATCHED.lock().expect("no thread has failed").iter() {
                let deadline = watched.deadline.load(Ordering::SeqCst);
                if deadline != 0 && deadline < now {
                    // SAFETY: a thread leaves the list, whose lock is held, before it ends.
                    unsafe {
                        libc::pthread_kill(watched.thread.load(Ordering::SeqCst), libc::SIGUSR1)
                    };
                }
            }
        }
    });
}
