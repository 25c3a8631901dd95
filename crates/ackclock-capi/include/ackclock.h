// ackclock: TCP over Ethernet and IPv4 for firmware, in memory that it lends.
//
// Made by cbindgen from crates/ackclock-capi; the test `header` of that crate compares them.

#ifndef ACKCLOCK_H
#define ACKCLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Most connections at a time.
#define ACKCLOCK_CONNECTIONS 4

// Most connections whose handshake is not finished.
#define ACKCLOCK_HALF_OPEN 4

// Maximum number of connections in TIME-WAIT; the oldest is dropped for a new one.
#define ACKCLOCK_TIME_WAIT 4

// Most listeners.
#define ACKCLOCK_LISTENERS 4

// Readiness: the handshake is finished, and the connection is not over.
#define ACKCLOCK_ESTABLISHED 1

// Readiness: there is something to read, or the end of it.
#define ACKCLOCK_READABLE 2

// Readiness: there is room for something to send.
#define ACKCLOCK_WRITABLE 4

// Readiness: the peer has said all, and all of it was read.
#define ACKCLOCK_FINISHED 8

// Readiness: everything that was to be sent was acknowledged.
#define ACKCLOCK_FLUSHED 16

// Readiness: the connection has ended; close it.
#define ACKCLOCK_CLOSED 32

// The handle names no connection, or the listener no listener.
#define ACKCLOCK_BAD_HANDLE -1

// The peer has said all.
#define ACKCLOCK_END -2

// The connection has ended, or its sending side was shut down.
#define ACKCLOCK_OVER -3

// A stack. It lies in the memory that `ackclock_init` was given.
typedef struct ackclock_stack ackclock_stack;

// Where the stack is in the network.
typedef struct ackclock_config {
  // 128 secret random bits. All values that must not be guessed are derived from them.
  uint64_t secret[2];
  // Hardware address of the interface.
  uint8_t hardware_address[6];
  // IPv4 address.
  uint8_t address[4];
  // Length of its network's prefix in bits, 0 to 32.
  uint8_t prefix;
  // Router for all other networks; all zero: there is none.
  uint8_t gateway[4];
  // Largest IP packet in bytes, 68 to 1500.
  uint16_t mtu;
} ackclock_config;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Listens on a port of all addresses. Returns whether it does; then `*listener` names the listener.
//
// # Safety
// `stack` is from `ackclock_init`, `listener` may be written.
bool ackclock_listen(struct ackclock_stack *stack, uint16_t port, uint64_t *listener);

// The next connection that a listener has accepted. Returns whether there is one; then `*handle`
// names it until it is closed.
//
// # Safety
// `stack` is from `ackclock_init`, `handle` may be written.
bool ackclock_accept(struct ackclock_stack *stack, uint64_t listener, uint64_t *handle);

// Opens a connection. Returns whether it does; then `*handle` names it until it is closed, and its
// readiness shows when the handshake is finished.
//
// # Safety
// `stack` is from `ackclock_init`, `address` points to four bytes, `handle` may be written.
bool ackclock_connect(struct ackclock_stack *stack,
                      uint64_t now,
                      const uint8_t *address,
                      uint16_t port,
                      uint64_t *handle);

// Reads at most `size` bytes that have arrived. Returns how many were read, 0 if there are none yet,
// `ACKCLOCK_END` at the end of the peer's data, `ACKCLOCK_OVER` if the connection has ended, or
// `ACKCLOCK_BAD_HANDLE`.
//
// # Safety
// `stack` is from `ackclock_init`, `data` points to `size` bytes that may be written.
int32_t ackclock_read(struct ackclock_stack *stack,
                      uint64_t now,
                      uint64_t handle,
                      uint8_t *data,
                      size_t size);

// Queues what there is room for of `length` bytes. Returns how many, `ACKCLOCK_OVER` if the
// connection has ended or was shut down, or `ACKCLOCK_BAD_HANDLE`.
//
// # Safety
// `stack` is from `ackclock_init`, `data` points to `length` bytes.
int32_t ackclock_write(struct ackclock_stack *stack,
                       uint64_t now,
                       uint64_t handle,
                       const uint8_t *data,
                       size_t length);

// How many bytes `ackclock_write` would take now.
//
// # Safety
// `stack` is from `ackclock_init`.
size_t ackclock_room(struct ackclock_stack *stack, uint64_t handle);

// Readiness of a connection: the sum of `ACKCLOCK_ESTABLISHED`, `ACKCLOCK_READABLE` and so on; 0
// if the handle names none.
//
// # Safety
// `stack` is from `ackclock_init`.
uint8_t ackclock_readiness(struct ackclock_stack *stack, uint64_t handle);

// Says that nothing more will be sent; the peer's data can still be read. Returns whether the handle
// names a connection.
//
// # Safety
// `stack` is from `ackclock_init`.
bool ackclock_shutdown(struct ackclock_stack *stack,
                       uint64_t now,
                       uint64_t handle);

// Closes a connection: queued data are still delivered, and the handle becomes invalid. Returns whether it
// named a connection.
//
// # Safety
// `stack` is from `ackclock_init`.
bool ackclock_close(struct ackclock_stack *stack,
                    uint64_t now,
                    uint64_t handle);

// Breaks a connection off: the peer gets a reset, and the handle is void. Returns whether it named a
// connection.
//
// # Safety
// `stack` is from `ackclock_init`.
bool ackclock_abort(struct ackclock_stack *stack,
                    uint64_t now,
                    uint64_t handle);

// Hands over a frame that has arrived, without its check sequence. `now`: microseconds since any
// fixed moment.
//
// # Safety
// `stack` is from `ackclock_init`, `frame` points to `length` bytes.
void ackclock_frame(struct ackclock_stack *stack,
                    uint64_t now,
                    const uint8_t *frame,
                    size_t length);

// Lets timers fire and writes the next frame to be sent into `frame`. Returns its length; 0 if there
// is nothing to send, or if the frame does not fit. To be called, until it returns 0, after frames
// have arrived, after calls of the application, and when the time of `ackclock_poll_at` has come.
//
// # Safety
// `stack` is from `ackclock_init`, `frame` points to `size` bytes that may be written.
size_t ackclock_transmit(struct ackclock_stack *stack,
                         uint64_t now,
                         uint8_t *frame,
                         size_t size);

// When `ackclock_transmit` is to be called although nothing has happened, in microseconds;
// `UINT64_MAX`: never.
//
// # Safety
// `stack` is from `ackclock_init`.
uint64_t ackclock_poll_at(const struct ackclock_stack *stack);

// Minimum bytes of memory for `ackclock_init`. More memory makes longer queues.
size_t ackclock_memory_needed(void);

// Makes a stack in `memory`, which is the stack's from now on. Returns NULL if the memory is too
// short (`ackclock_memory_needed`) or a setting cannot be used.
//
// # Safety
// `memory` points to `size` bytes that are not used otherwise, `config` to a configuration.
struct ackclock_stack *ackclock_init(void *memory,
                                     size_t size,
                                     const struct ackclock_config *config);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ACKCLOCK_H */
