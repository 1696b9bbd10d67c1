/*
 * The vocabulary of emitted C: the texts of src/kernels/simd/<simd>.h, of the bodies written over it (kernels/body/), of
 * gates, gather and some kinds of layers (network/) and of operators that the runtime has not (emit/body/), built in, of which a
 * module gets the definitions that it uses. So emitted code computes with the runtime's own words.
 *
 * Definitions are the texts' paragraphs: clang-format and house style keep each in one, with its comment. A name counts
 * if it starts with gali_ or GALI_, so all that such a definition needs does; what has no such name stays out.
 */
#ifndef GALI_COMPILER_EMIT_VOCABULARY_H
#define GALI_COMPILER_EMIT_VOCABULARY_H

#include "compiler/target.h"
#include "graph/text.h"

/* Appends an #error for who forgets the target's flags, the #include lines of its vocabulary, and the compiler's own words (base/compiler.h). */
void gali_vocabulary_includes(gali_text *text, const gali_target *target);

/* Appends the C library's headers that programs use, or what the target has in their place. target: NULL, any. */
void gali_vocabulary_add_library(gali_text *text, const gali_target *target);

/* Appends the compiler's own words alone, for targets that have no headers. */
void gali_vocabulary_add_compiler(gali_text *text);

/* Appends the definitions that the C text `body` uses, and those that they use, in the order of the headers. */
void gali_vocabulary_add(gali_text *text, const gali_target *target, const char *body);

/*
 * Appends the definitions of scalar.h's vocabulary that the words gali_one_.. of `body` mean (loop/print_c.h), under these
 * names, so that a module may have its target's vocabulary beside it.
 */
void gali_vocabulary_add_plain(gali_text *text, const char *body);

/* GAL_BAD_ARGUMENT where the name is no C identifier of at most 24 lower-case letters, digits and _. */
gal_status gali_vocabulary_check_name(const char *name, gal_error *error);

/*
 * Appends C text with gali_ replaced by "<name>_" and GALI_ by "<NAME>_": names of a module of its own, so that
 * several may be built as one file.
 */
void gali_vocabulary_rename(gali_text *text, const char *body, const char *name);

/* The same of a text that ends there: it is released, and empty again; where it failed, `to` has, too. */
void gali_vocabulary_end(gali_text *text, gali_text *to, const char *name);

#endif
