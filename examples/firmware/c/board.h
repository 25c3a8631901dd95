// What the example needs of the board mps2-an385.
#ifndef BOARD_H
#define BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BOARD_FRAME 1520

// Starts the clock and the Ethernet controller.
bool board_start(const uint8_t hardware_address[6]);
// Microseconds since the start.
uint64_t board_now(void);
// The next frame that has arrived, without its check sequence; 0 if there is none.
size_t board_receive(uint8_t frame[BOARD_FRAME]);
// Sends a frame.
void board_transmit(const uint8_t *frame, size_t length);
// Writes text by semihosting.
void board_say(const char *text);
// Ends the emulation.
void board_exit(bool well);

#endif
