//! Captures of the packets of a run.

use crate::failure::Failure;
use ackclock_emulator::{LEFT, PcapCapture};
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

/// A capture in a file.
pub(crate) type Capture = PcapCapture<BufWriter<File>>;

/// Makes the file, or empties it.
pub(crate) fn create(path: &Path) -> Result<Capture, Failure> {
    File::create(path)
        .and_then(|file| PcapCapture::new(LEFT, BufWriter::new(file)))
        .map_err(|error| Failure::capture(path, &error))
}

/// Writes what is still held back.
pub(crate) fn finish(capture: Capture, path: &Path) -> Result<(), Failure> {
    capture.finish().map(|_| ()).map_err(|error| Failure::capture(path, &error))
}

#[cfg(target_os = "linux")]
pub(crate) use on_link::Captured;

#[cfg(target_os = "linux")]
mod on_link {
    use super::{Capture, create, finish};
    use crate::failure::Failure;
    use ackclock::link::{Link, TransmitError};
    use ackclock::stack::{Capabilities, Transmit};
    use ackclock::time::{Duration, Instant};
    use std::os::fd::{AsFd, BorrowedFd};
    use std::path::{Path, PathBuf};
    use std::time::{SystemTime, UNIX_EPOCH};

    /// A link whose packets are captured, if anybody wants that.
    #[derive(Debug)]
    pub(crate) struct Captured<L> {
        link: L,
        tap: Option<Tap>,
    }

    #[derive(Debug)]
    struct Tap {
        capture: Capture,
        path: PathBuf,
        /// Time from the Unix epoch to the origin of the instants, once it is known.
        origin: Option<Duration>,
        /// Holds a packet that is sent, which comes in parts.
        packet: Vec<u8>,
    }

    impl<L> Captured<L> {
        /// A link captured in a file, or not at all.
        pub(crate) fn new(link: L, file: Option<&Path>) -> Result<Self, Failure> {
            let tap = |path: &Path| {
                let capture = create(path)?;
                Ok(Tap { capture, path: path.to_owned(), origin: None, packet: Vec::new() })
            };
            Ok(Captured { link, tap: file.map(tap).transpose()? })
        }

        /// Ends the capture.
        pub(crate) fn finish(&mut self) -> Result<(), Failure> {
            match self.tap.take() {
                None => Ok(()),
                Some(tap) => finish(tap.capture, &tap.path),
            }
        }
    }

    impl Tap {
        fn record(&mut self, now: Instant, packet: &[u8]) {
            let since_origin = now.saturating_since(Instant::ZERO);
            let origin = *self.origin.get_or_insert_with(|| {
                let unix_time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                Duration::from(unix_time).saturating_sub(since_origin)
            });
            self.capture.record(origin + since_origin, packet);
        }
    }

    impl<L: AsFd> AsFd for Captured<L> {
        fn as_fd(&self) -> BorrowedFd<'_> {
            self.link.as_fd()
        }
    }

    impl<L: Link> Link for Captured<L> {
        type Error = L::Error;

        fn capabilities(&self) -> Capabilities {
            self.link.capabilities()
        }

        fn transmit(
            &mut self,
            now: Instant,
            transmit: &Transmit<'_>,
        ) -> Result<(), TransmitError<Self::Error>> {
            self.link.transmit(now, transmit)?;
            if let Some(tap) = &mut self.tap {
                let [first, second] = transmit.payload;
                let mut packet = std::mem::take(&mut tap.packet);
                packet.clear();
                packet.extend([transmit.header, first, second].into_iter().flatten());
                tap.record(now, &packet);
                tap.packet = packet;
            }
            Ok(())
        }

        fn receive(
            &mut self,
            now: Instant,
            budget: usize,
            deliver: &mut dyn FnMut(&[u8]),
        ) -> Result<usize, Self::Error> {
            let Some(tap) = &mut self.tap else {
                return self.link.receive(now, budget, deliver);
            };
            self.link.receive(now, budget, &mut |packet| {
                tap.record(now, packet);
                deliver(packet);
            })
        }
    }
}
