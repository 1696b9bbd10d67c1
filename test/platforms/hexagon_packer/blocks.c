/* Runs each function of random_blocks.py on memory of a fixed seed, freestanding, and prints a line a function: its number, a
 * hash of the memory that it left, and the packets that it took, all in hexadecimal. */
enum { BYTES = 1 << 14 };

#include "report.h"

typedef void random_block(unsigned char *memory);

extern random_block *const random_blocks[]; /* ended by NULL */

int main(void) {
    for (unsigned i = 0; random_blocks[i]; i++) {
        char name[9] = {0};
        put_hex(name, i);
        fill(out, i);
        const unsigned before = gali_system_packets();
        random_blocks[i](out);
        say(name, gali_system_packets() - before);
    }
    return 0;
}
