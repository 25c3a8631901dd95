//! The methods that a stream and its halves have in common.

/// The methods of what reads: `$half`.
macro_rules! reads {
    ($half:ty) => {
        impl $half {
            /// Waits until a read would not wait.
            ///
            /// # Errors
            /// The network has ended.
            pub async fn readable(&self) -> std::io::Result<()> {
                std::future::poll_fn(|cx| self.0.poll_read_ready(cx.waker())).await
            }

            /// Reads what is there, and waits if that is nothing; 0 is the end.
            ///
            /// # Errors
            /// Why the connection ended, once.
            pub async fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
                std::future::poll_fn(|cx| self.0.poll_read(cx.waker(), &mut [&mut *to])).await
            }

            /// Reads the data that have arrived and leaves them for the next read.
            ///
            /// # Errors
            /// As `read`.
            pub async fn peek(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
                std::future::poll_fn(|cx| self.0.poll_peek(cx.waker(), to)).await
            }
        }
    };
}

/// The methods of what writes: `$half`.
macro_rules! writes {
    ($half:ty) => {
        impl $half {
            /// Waits until a write would not wait.
            ///
            /// # Errors
            /// The network has ended.
            pub async fn writable(&self) -> std::io::Result<()> {
                std::future::poll_fn(|cx| self.0.poll_write_ready(cx.waker())).await
            }

            /// Waits until the connection has ended. That both directions have ended is not a failure.
            ///
            /// # Errors
            /// Why the connection failed, once; the network has ended.
            pub async fn closed(&self) -> std::io::Result<()> {
                std::future::poll_fn(|cx| self.0.poll_closed(cx.waker())).await
            }

            /// Writes what there is room for, and waits if that is nothing.
            ///
            /// # Errors
            /// Why the connection ended, once; [`SocketError::Finished`](crate::SocketError::Finished).
            pub async fn write(&mut self, from: &[u8]) -> std::io::Result<usize> {
                std::future::poll_fn(|cx| {
                    self.0.poll_write(cx.waker(), &[std::io::IoSlice::new(from)])
                })
                .await
            }

            /// Writes all of it.
            ///
            /// # Errors
            /// As `write`; a part of it may have been written.
            pub async fn write_all(&mut self, mut from: &[u8]) -> std::io::Result<()> {
                while !from.is_empty() {
                    let n = self.write(from).await?;
                    from = &from[n..];
                }
                Ok(())
            }
        }
    };
}

pub(super) use {reads, writes};
