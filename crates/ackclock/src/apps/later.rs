//! An application whose start is delayed until a given time.

use super::{Application, StartError};
use crate::profile::Profile;
use crate::stack::{Event, Stack};
use crate::time::Instant;

/// Starts another application at a given time.
#[derive(Debug)]
pub struct Later<A> {
    at: Instant,
    application: A,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Waiting,
    Started,
    Failed(StartError),
}

impl<A> Later<A> {
    /// Starts `application` at the time `at`, or at once if it has passed.
    pub const fn new(at: Instant, application: A) -> Self {
        Later { at, application, stage: Stage::Waiting }
    }

    /// The application.
    pub const fn application(&self) -> &A {
        &self.application
    }

    /// Why the application could not be started, if it failed when its time came;
    /// [`is_done`](Application::is_done) is true from then on.
    pub const fn error(&self) -> Option<StartError> {
        match self.stage {
            Stage::Failed(error) => Some(error),
            Stage::Waiting | Stage::Started => None,
        }
    }
}

impl<'a, C, P: Profile, A: Application<'a, C, P>> Application<'a, C, P> for Later<A> {
    fn start(&mut self, now: Instant, stack: &mut Stack<'a, C, P>) -> Result<(), StartError> {
        if now < self.at {
            return Ok(());
        }
        self.stage = Stage::Started;
        self.application.start(now, stack)
    }

    fn on_event(&mut self, now: Instant, stack: &mut Stack<'a, C, P>, event: &Event) {
        if self.stage == Stage::Started {
            self.application.on_event(now, stack, event);
        }
    }

    fn concerns(&self, event: &Event) -> bool {
        self.stage == Stage::Started && self.application.concerns(event)
    }

    fn wake_at(&self) -> Instant {
        match self.stage {
            Stage::Waiting => self.at,
            Stage::Started => self.application.wake_at(),
            Stage::Failed(_) => Instant::FAR_FUTURE,
        }
    }

    fn on_wake(&mut self, now: Instant, stack: &mut Stack<'a, C, P>) {
        match self.stage {
            Stage::Waiting if now >= self.at => {
                let started = self.application.start(now, stack);
                self.stage = started.map_or_else(Stage::Failed, |()| Stage::Started);
            }
            Stage::Started => self.application.on_wake(now, stack),
            Stage::Waiting | Stage::Failed(_) => {}
        }
    }

    fn is_done(&self) -> bool {
        match self.stage {
            Stage::Waiting => false,
            Stage::Started => self.application.is_done(),
            Stage::Failed(_) => true,
        }
    }
}
