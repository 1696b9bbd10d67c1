/*
 * A function as C11, in one of two ways.
 *
 * With vectors of `lanes`, in the words of kernels/simd/scalar.h: gali_vf for what has lanes, gali_vx for what is
 * multiplied into all of them. What uses those words for which target is emit/vocabulary.h's to add. It is all float32, but
 * for integers that are looked up.
 *
 * With 0 lanes as plain C, which compilers vectorise: no access has lanes, values are of any element, and operations are
 * those of the language and of loop/body/scalars.inc, which stands over scalar.h whatever the target.
 *
 *     static void NAME(uint32_t characters, const float *weights, const float *x, size_t x_stride, ..,
 *                      float *y, size_t y_stride)
 *
 * Symbols first, then the parameters in their order; one of two dimensions that is no constant has its row's stride, in
 * elements, behind it, unless the function is dense; a parallel loop's range [first, last) comes last. Sizes, and the steps
 * of dimensions that a size stands in, are computed at the head of the function. Constants lie as gali_loop_pack lays them.
 * What follows a let with cases is a function of its own, always inlined, called once for each case.
 */
#ifndef GALI_COMPILER_LOOP_PRINT_C_H
#define GALI_COMPILER_LOOP_PRINT_C_H

#include "compiler/loop/loop.h"

/*
 * What sets the C of a device apart (OpenCL's): words before functions and before pointers to parameters. There a function
 * is for one item, whose number is its first parameter, in place of its loops over items.
 */
typedef struct gali_c_words {
    const char *function, *pointer;
    int axes; /* first come, in place of the number, where the item stands in each of the loops, outermost first */
    int returns; /* the one element that it would store is what it returns; it has no parameter for it */
    /* bits of buffers, by their place: parameters that are images, read by gali_texel(image, element) */
    uint64_t images;
} gali_c_words;

/* The same as plain C in the words of a device: NAME(item or axes, symbols.., parameters..). */
gal_status gali_loop_print_item(const gali_loop_function *function, const char *name, const gali_c_words *words,
                                gali_text *text, gal_error *error);

/* GAL_BAD_DATA where an access has other than 1 or `lanes` lanes or a local is too large for a stack (256 KB). */
gal_status gali_loop_print_c(const gali_loop_function *function, const char *name, uint32_t lanes,
                             gali_text *text, gal_error *error);

#endif
