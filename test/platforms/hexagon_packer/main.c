/*
 * Runs each kernel on numbers of a fixed seed under qemu-hexagon, freestanding, and prints a line a kernel: its name, a hash
 * of what it wrote, and the packets that it took, both in hexadecimal.
 */
enum { BYTES = 1 << 18 };

#include "kernels.h"
#include "report.h"

static unsigned char in[BYTES] __attribute__((aligned(128))), weights[BYTES] __attribute__((aligned(128)));

#define RUN(name, call)                                                                                        \
    do {                                                                                                       \
        fill(out, 3);                                                                                          \
        const unsigned before = gali_system_packets();                                                         \
        call;                                                                                                  \
        say(name, gali_system_packets() - before);                                                             \
    } while (0)

static void run_all(void) {
    const HVX_Vector *a = (const HVX_Vector *)in, *w = (const HVX_Vector *)weights;
    HVX_Vector *o = (HVX_Vector *)out;
    fill(in, 1);
    fill(weights, 2);
    RUN("vrmpy/64", dense_vrmpy(in, w, o, 64, 16));
    RUN("vrmpy/92", dense_vrmpy(in, w, o, 92, 8));
    RUN("vmpy/64", dense_vmpy(in, w, (HVX_VectorPair *)out, 64, 16));
    RUN("vmpy/93", dense_vmpy(in, w, (HVX_VectorPair *)out, 93, 4));
    RUN("vmpa/64", dense_vmpa(in, (const HVX_VectorPair *)weights, (HVX_VectorPair *)out, 64, 16));
    RUN("vmpa/93", dense_vmpa(in, (const HVX_VectorPair *)weights, (HVX_VectorPair *)out, 93, 4));
    RUN("add3/67", add3(a, w, a + 100, (HVX_VectorPair *)out, 67));
    RUN("requant/33", requant(a, w, o, 33, 0x5a5a1234, 3));
    RUN("relu_add/77", relu_add(a, w, o, 77));
    RUN("pool2/77", pool2(a, w, o, 77));
    RUN("depthwise/65", depthwise(a, (const int *)weights, (HVX_VectorPair *)out, 65, 66));
    RUN("unaligned/77", unaligned(in, o, 77));
}

int main(void) {
    run_all();
    return 0;
}
