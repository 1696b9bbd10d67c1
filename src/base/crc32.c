#include "base/crc32.h"

enum { SLICES = 8 };

/* table[s][b]: the CRC of byte b followed by s zero bytes. 8 KB of stack, rebuilt per call: no global state. */
static void make_tables(uint32_t table[SLICES][256]) {
    for (uint32_t b = 0; b < 256; b++) {
        uint32_t crc = b;
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc >> 1) ^ (0xEDB88320u & (0u - (crc & 1u)));
        }
        table[0][b] = crc;
    }
    for (uint32_t b = 0; b < 256; b++) {
        for (int s = 1; s < SLICES; s++) {
            table[s][b] = (table[s - 1][b] >> 8) ^ table[0][table[s - 1][b] & 255u];
        }
    }
}

uint32_t gali_crc32(const void *data, size_t size) {
    uint32_t table[SLICES][256];
    make_tables(table);
    const unsigned char *bytes = data;
    uint32_t crc = 0xFFFFFFFFu;
    for (; size >= SLICES; size -= SLICES, bytes += SLICES) {
        uint32_t low = crc ^ ((uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
                              (uint32_t)bytes[3] << 24);
        crc = table[7][low & 255u] ^ table[6][low >> 8 & 255u] ^ table[5][low >> 16 & 255u] ^
              table[4][low >> 24] ^ table[3][bytes[4]] ^ table[2][bytes[5]] ^ table[1][bytes[6]] ^
              table[0][bytes[7]];
    }
    for (; size; size--, bytes++) {
        crc = (crc >> 8) ^ table[0][(crc ^ *bytes) & 255u];
    }
    return ~crc;
}
