/* A number of any element, as the interpreter holds it: storage, casts and the operations of ops.def. */
#ifndef GALI_COMPILER_LOOP_NUMBER_H
#define GALI_COMPILER_LOOP_NUMBER_H

#include "compiler/loop/loop.h"

/* Of f32 (and of the elements that are stored only) f32, of f64 f64, of the others whole, of u64 its bits. */
typedef struct gali_loop_number_of {
    float f32;
    double f64;
    int64_t whole;
} gali_loop_number_of;

/* Element `at` of memory. */
gali_loop_number_of gali_loop_number_load(gali_element element, const void *memory, size_t at);
void gali_loop_number_store(gali_element element, void *memory, size_t at, gali_loop_number_of value);

gali_loop_number_of gali_loop_number_cast(gali_element to, gali_element from, gali_loop_number_of a);

/* An operation on operands of `element`, but for constants, loads, casts, selects and indices. */
gali_loop_number_of gali_loop_number_apply(gali_loop_op op, gali_element element, const gali_loop_number_of *a);

/* One of f32 whose result is that, too; operands that it has not are not looked at. */
float gali_loop_number_f32(gali_loop_op op, float a, float b, float c);

#endif
