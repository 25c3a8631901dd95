// The board mps2-an385: start, clock, and the Ethernet controller LAN9118.
#include "board.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define LAN(offset) REGISTER(0x40200000 + (offset))
#define RX_DATA LAN(0x00)
#define TX_DATA LAN(0x20)
#define RX_STATUS LAN(0x40)
#define TX_STATUS LAN(0x48)
#define BYTE_TEST LAN(0x64)
#define TX_CONFIG LAN(0x70)
#define HARDWARE_CONFIG LAN(0x74)
#define RX_FIFO LAN(0x7c)
#define TX_FIFO LAN(0x80)
#define MAC_COMMAND LAN(0xa4)
#define MAC_DATA LAN(0xa8)
#define RX_CONFIG LAN(0x6c)
// A counter of the board's FPGA, and how many clocks of 25 MHz it leaves out.
#define COUNTER REGISTER(0x40028018)
#define PRESCALE REGISTER(0x4002801c)

extern uint32_t _data[], _edata[], _data_load[], _bss[], _ebss[], _stack_start[];
int main(void);
void reset(void);
void fault(void);

__attribute__((section(".vectors"), used)) static void *const vectors[16] = {
    _stack_start, reset, fault, fault, fault, fault, fault,
};

void reset(void) {
    for (uint32_t *to = _data, *from = _data_load; to < _edata;) *to++ = *from++;
    for (uint32_t *to = _bss; to < _ebss;) *to++ = 0;
    board_exit(main() == 0);
}

void fault(void) {
    board_say("fault\n");
    board_exit(false);
}

static void semihosting(uint32_t operation, const void *argument) {
    register uint32_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

void board_say(const char *text) { semihosting(4, text); }

void board_exit(bool well) {
    // "The application exits", or "a run-time error".
    semihosting(0x18, (const void *)(well ? 0x20026 : 0x20023));
    for (;;) {}
}

uint64_t board_now(void) {
    static uint64_t microseconds;
    static uint32_t counted;
    uint32_t count = COUNTER;
    microseconds += count - counted;
    counted = count;
    return microseconds;
}

static void write_mac(uint32_t index, uint32_t value) {
    MAC_DATA = value;
    MAC_COMMAND = 1u << 31 | index;
    while (MAC_COMMAND >> 31) {}
}

bool board_start(const uint8_t address[6]) {
    PRESCALE = 24;
    if (BYTE_TEST != 0x87654321) return false;
    HARDWARE_CONFIG = 1;
    while (HARDWARE_CONFIG & 1) {}
    HARDWARE_CONFIG = 5u << 16 | 1u << 20;
    write_mac(3, address[0] | address[1] << 8 | address[2] << 16 | (uint32_t)address[3] << 24);
    write_mac(2, address[4] | address[5] << 8);
    RX_CONFIG = 0;
    TX_CONFIG = 1u << 1 | 1u << 2;
    write_mac(1, 1u << 20 | 1u << 3 | 1u << 2);
    return true;
}

size_t board_receive(uint8_t frame[BOARD_FRAME]) {
    if ((RX_FIFO >> 16 & 0xff) == 0) return 0;
    uint32_t status = RX_STATUS;
    size_t length = status >> 16 & 0x3fff;
    for (size_t at = 0; at < length; at += 4) {
        uint32_t word = RX_DATA;
        for (size_t byte = 0; byte < 4 && at + byte < BOARD_FRAME; byte++)
            frame[at + byte] = (uint8_t)(word >> 8 * byte);
    }
    bool usable = !(status & 1u << 15) && length > 4 && length <= BOARD_FRAME;
    return usable ? length - 4 : 0;
}

void board_transmit(const uint8_t *frame, size_t length) {
    while ((TX_FIFO & 0xffff) < length + 16) {}
    TX_DATA = 1u << 13 | 1u << 12 | length;
    TX_DATA = length;
    for (size_t at = 0; at < length; at += 4) {
        uint32_t word = 0;
        for (size_t byte = 0; byte < 4 && at + byte < length; byte++)
            word |= (uint32_t)frame[at + byte] << 8 * byte;
        TX_DATA = word;
    }
    while (TX_FIFO >> 16 & 0xff) (void)TX_STATUS;
}
