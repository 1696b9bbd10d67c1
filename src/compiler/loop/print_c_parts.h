/*
 * Parts of the printer of C (print_c.h): what it knows while it prints, and how an access or a value reads in C.
 *
 * print_c_shape.c chooses what each local becomes, print_c_value.c prints expressions of vectors, print_c_plain.c those of
 * plain C, print_c.c statements and functions.
 */
#ifndef GALI_COMPILER_LOOP_PRINT_C_PARTS_H
#define GALI_COMPILER_LOOP_PRINT_C_PARTS_H

#include "compiler/loop/print_c.h"

enum { GALI_C_SCOPE_MAX = 128 };

/* What a local becomes. */
typedef enum gali_c_shape {
    GALI_C_FLOATS,    /* float name[..], or of another element, in memory */
    GALI_C_VECTORS,   /* gali_vf name[..]: every access is of all lanes of its last dimension */
    GALI_C_BROADCAST, /* gali_vx name[..]: loads that are only multiplied into vectors */
    GALI_C_POINTERS,  /* const float *name[..]: a view's rows */
} gali_c_shape;

typedef struct gali_c_printer {
    const gali_loop_function *function;
    const char *name;
    const gali_c_words *words; /* of a device; NULL: C */
    uint32_t lanes, outlined;
    gali_c_shape shape[GALI_LOOP_BUFFERS_MAX];
    const gali_loop_statement *scope[GALI_C_SCOPE_MAX]; /* the lets, loops and makes around, outermost first */
    uint32_t scopes;
    gali_text functions; /* outlined, innermost first */
    uint32_t outside;    /* the first of the scopes, which are around the function that is printed */
    int depth, some;     /* indentation; whether a partial access was printed */
    const char *why;     /* what cannot be printed; NULL so far */
} gali_c_printer;

/* Fills shape; sets why for lanes that the target does not have. */
void gali_c_choose_shapes(gali_c_printer *p);

/* A name in C: dots become underlines. */
void gali_c_name(gali_text *to, const char *name);

void gali_c_index(gali_text *to, const gali_loop_index *index);

/* The same as what something is divided by: a product in parentheses. */
void gali_c_factor(gali_text *to, const gali_loop_index *index);

/* The same as an int64_t, of indices that may be negative. */
void gali_c_signed_index(gali_text *to, const gali_loop_index *index);
int gali_c_is_zero(const gali_loop_index *index);

/* Whether a parameter's rows are a stride apart that the caller gives. */
int gali_c_has_stride(const gali_loop_function *function, const gali_loop_buffer *buffer);

/* Whether the elements of a step of dimension d, which is not the last, are a number of the function's head: NAME_step<d>. */
int gali_c_has_step(const gali_loop_function *function, const gali_loop_buffer *buffer, uint32_t d);

/* "i < n && .." of the marked indices of an access. */
void gali_c_inside(gali_text *to, const gali_loop_access *access);
int gali_c_is_local(const gali_loop_access *access);

/* Whether a parameter is an image. */
int gali_c_is_image(const gali_c_words *words, const gali_loop_buffer *buffer);

/* Dimensions that a local or a view has in C: those of vectors' lanes and of views' rows are none. */
uint32_t gali_c_rank(const gali_c_printer *p, const gali_loop_buffer *buffer);

/* Whether a vector may reach past the end of the row. */
int gali_c_is_partial(const gali_c_printer *p, const gali_loop_access *access);

/* A pointer to an access of a parameter; an element of a local, a vector counting as one; the address of either. */
void gali_c_pointer(gali_c_printer *p, gali_text *to, const gali_loop_access *access);
void gali_c_element(const gali_c_printer *p, gali_text *to, const gali_loop_access *access);
void gali_c_address(gali_c_printer *p, gali_text *to, const gali_loop_access *access);

/* The first element of an access, as one that is read or written. */
void gali_c_item(gali_c_printer *p, gali_text *to, const gali_loop_access *access);

/* Elements from the access to the end of its row. */
void gali_c_left(gali_text *to, const gali_loop_access *access);

void gali_c_value(gali_c_printer *p, gali_text *to, const gali_loop_value *value, uint32_t lanes);

/* A loop so marked as one word, where it is what its mark says and the target has vectors; else 0, and nothing. */
int gali_c_transpose(gali_c_printer *p, gali_text *to, const gali_loop_statement *loop);

/* ---- functions ---- */

/* What a vector or number of a local is called. */
const char *gali_c_type(const gali_c_printer *p, const gali_loop_buffer *local);

/* Whether the function writes to the buffer; whether it returns it, as one of a device may. */
int gali_c_is_result(const gali_loop_buffer *buffer);
int gali_c_is_returned(const gali_c_words *words, const gali_loop_buffer *buffer);

/* A list of parameters or of arguments: those whose names the body has, or all where body is NULL. */
typedef struct gali_c_list {
    const gali_loop_function *function;
    gali_text *to;
    const gali_text *body;
    const gali_c_words *words; /* of a device; NULL: C */
    int declare;
    uint32_t count;
} gali_c_list;

/* Whether the body of what is written to `to` has that name, its dots as underlines and with the ending, as a word. */
int gali_c_has_name(gali_text *to, const gali_text *body, const char *name, const char *ending);

/* Appends type and name, or the name alone; a parameter and its stride; what the head defines for it. */
void gali_c_list_item(gali_c_list *l, const char *type, const char *name, const char *ending);
void gali_c_list_parameter(gali_c_list *l, const gali_loop_buffer *buffer);
void gali_c_list_steps(gali_c_list *l, const gali_loop_buffer *buffer);

/* All that is around and that the body needs. */
void gali_c_list_needs(const gali_c_printer *p, gali_c_list *l);

/* ---- values ---- */

/* A value of one number in plain C; one that is stored as `element`. */
void gali_c_plain(gali_c_printer *p, gali_text *to, const gali_loop_value *value);
void gali_c_plain_stored(gali_c_printer *p, gali_text *to, const gali_loop_value *value, gali_element element);
int gali_c_is_scalar_load(const gali_loop_value *value);

/* The operand of an FMA that is one number for all lanes: 0, 1, or 2 for neither. */
uint32_t gali_c_broadcast_of(const gali_loop_value *fma, uint32_t lanes);

#endif
