// An echo server (RFC 862) in C over ackclock.
#include "ackclock.h"
#include "board.h"

static _Alignas(8) uint8_t memory[32768];
static uint8_t frame[BOARD_FRAME];
static uint64_t connections[ACKCLOCK_CONNECTIONS];
static bool taken[ACKCLOCK_CONNECTIONS];

// Sends back what there is, and follows the peer when it closes. Returns whether it is over.
static bool serve(ackclock_stack *stack, uint64_t now, uint64_t handle) {
    uint8_t chunk[256];
    for (;;) {
        size_t room = ackclock_room(stack, handle);
        if (room > sizeof chunk) room = sizeof chunk;
        int32_t count = room ? ackclock_read(stack, now, handle, chunk, room) : 0;
        if (count <= 0) break;
        ackclock_write(stack, now, handle, chunk, (size_t)count);
    }
    uint8_t readiness = ackclock_readiness(stack, handle);
    if (readiness & ACKCLOCK_CLOSED) {
        ackclock_close(stack, now, handle);
        return true;
    }
    if (readiness & ACKCLOCK_FINISHED) ackclock_shutdown(stack, now, handle);
    return false;
}

int main(void) {
    const ackclock_config config = {
        // From your hardware's random numbers; this board has none.
        .secret = {0x5eed, 0x5eed},
        .hardware_address = {2, 0, 0, 0, 0, 2},
        .address = {10, 7, 0, 2},
        .prefix = 24,
        .mtu = 1500,
    };
    uint64_t listener;
    ackclock_stack *stack = ackclock_init(memory, sizeof memory, &config);
    if (!stack || !board_start(config.hardware_address) || !ackclock_listen(stack, 7, &listener))
        return 1;
    board_say("ready\n");
    for (;;) {
        uint64_t now = board_now();
        size_t length = board_receive(frame);
        if (length) ackclock_frame(stack, now, frame, length);
        for (size_t place = 0; place < ACKCLOCK_CONNECTIONS; place++) {
            if (!taken[place]) taken[place] = ackclock_accept(stack, listener, &connections[place]);
            if (taken[place]) taken[place] = !serve(stack, now, connections[place]);
        }
        while ((length = ackclock_transmit(stack, now, frame, sizeof frame)) != 0)
            board_transmit(frame, length);
    }
}
