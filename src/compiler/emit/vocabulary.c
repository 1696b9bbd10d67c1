#include "compiler/emit/vocabulary.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "base/error.h"

extern const gali_embedded gali_embedded_compiler_h, gali_embedded_kernels_h, gali_embedded_elementary,
    gali_embedded_activate_f32, gali_embedded_panel_f32, gali_embedded_feed, gali_embedded_gate,
    gali_embedded_layer_add, gali_embedded_layer_layer_norm, gali_embedded_layer_mul,
    gali_embedded_loop_vectors, gali_embedded_loop_scalars, gali_embedded_emit_tile, gali_embedded_emit_patches,
    gali_embedded_emit_operators, gali_embedded_emit_select, gali_embedded_emit_margin,
    gali_embedded_simd_scalar, gali_embedded_simd_avx2, gali_embedded_simd_avx512, gali_embedded_simd_neon,
    gali_embedded_simd_wasm, gali_embedded_hvx_words, gali_embedded_narrow_h, gali_embedded_scalar_narrow,
    gali_embedded_prepare_narrow, gali_embedded_hvx_product, gali_embedded_hvx_dense, gali_embedded_hvx_network,
    gali_embedded_hvx_tensor, gali_embedded_hvx_region, gali_embedded_hvx_outside;

/* Behind the target's own words. */
static const gali_embedded *const over_simd[] = {
    &gali_embedded_elementary,
    &gali_embedded_activate_f32,
    &gali_embedded_panel_f32,
    &gali_embedded_feed,
    &gali_embedded_gate,
    &gali_embedded_layer_add,
    &gali_embedded_layer_layer_norm,
    &gali_embedded_layer_mul,
    &gali_embedded_loop_vectors,
    &gali_embedded_loop_scalars,
    &gali_embedded_emit_tile,
    &gali_embedded_emit_patches,
    &gali_embedded_emit_operators,
    &gali_embedded_emit_select,
    &gali_embedded_emit_margin,
};

/* What a target has besides: words in the place of those of its header, texts behind all others, what stands for a C library's headers. */
typedef struct special {
    const gali_embedded *own;
    const gali_embedded *behind[8]; /* to the first NULL */
    const gali_embedded *library;
} special;

static const special specials[GALI_SIMD_COUNT] = {
    [GALI_SIMD_HVX] = {&gali_embedded_hvx_words,
                       {&gali_embedded_narrow_h, &gali_embedded_scalar_narrow, &gali_embedded_prepare_narrow,
                        &gali_embedded_hvx_product, &gali_embedded_hvx_dense, &gali_embedded_hvx_network,
                        &gali_embedded_hvx_tensor, &gali_embedded_hvx_region},
                       &gali_embedded_hvx_outside},
};

/* A piece of text; a definition's paragraph or a name. */
typedef struct piece {
    const char *at;
    size_t size;
} piece;

typedef struct definition {
    piece text;
    piece name; /* empty: every gali_ word of the text is defined here */
    int used;
} definition;

typedef struct definitions {
    uint32_t count, capacity;
    uint32_t own; /* the first ones, which stand in the place of later ones of their names */
    int failed;   /* no memory for one */
    definition *list;
} definitions;

static const gali_embedded *header_of(const gali_target *target) {
    static const gali_embedded *const headers[GALI_SIMD_COUNT] = {
        [GALI_SIMD_SCALAR] = &gali_embedded_simd_scalar, [GALI_SIMD_AVX2] = &gali_embedded_simd_avx2,
        [GALI_SIMD_AVX512] = &gali_embedded_simd_avx512, [GALI_SIMD_NEON] = &gali_embedded_simd_neon,
        [GALI_SIMD_WASM] = &gali_embedded_simd_wasm,     [GALI_SIMD_HVX] = &gali_embedded_simd_scalar,
        [GALI_SIMD_OPENCL] = &gali_embedded_simd_scalar,
    };
    return headers[target->simd];
}

static int is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static int starts(const char *at, const char *end, const char *with) {
    size_t size = strlen(with);
    return (size_t)(end - at) >= size && memcmp(at, with, size) == 0;
}

static const char *line_end(const char *at, const char *end) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? newline + 1 : end;
}

/* The next word of ours (gali_..., GALI_...) at or after `at`; empty at the end. */
static piece next_name(const char *at, const char *end) {
    for (; at < end; at++) {
        if (!is_word(*at)) {
            continue;
        }
        const char *word = at;
        while (at < end && is_word(*at)) {
            at++;
        }
        if (starts(word, at, "gali_") || starts(word, at, "GALI_")) {
            return (piece){word, (size_t)(at - word)};
        }
    }
    return (piece){end, 0};
}

static int same(piece a, piece b) {
    return a.size == b.size && memcmp(a.at, b.at, a.size) == 0;
}

/* Past the comment that a paragraph may start with. */
static const char *code_of(piece text) {
    const char *at = text.at, *end = text.at + text.size;
    if (starts(at, end, "/*")) {
        while (at < end && !starts(at, end, "*/\n")) {
            at++;
        }
        at = at < end ? at + 3 : end;
    }
    return at;
}

/* An enum, or a typedef but a struct's: all words of ours in it are defined there. */
static int defines_all(const char *code, const char *end) {
    return starts(code, end, "enum") || (starts(code, end, "typedef") && !starts(code, end, "typedef struct"));
}

/* Where the head of a function or variable ends. */
static const char *head_end(const char *code, const char *end) {
    while (code < end && *code != '{' && *code != '=' && *code != ';') {
        code++;
    }
    return code;
}

/* A struct's typedef defines its last word, a function the one before its parenthesis, a variable the one before its
 * bracket or value; empty where that is none of ours. */
static piece name_of(const char *code, const char *end) {
    int type = starts(code, end, "typedef struct");
    const char *head = type ? end : head_end(code, end);
    piece name = {end, 0};
    for (piece word = next_name(code, head); word.size; word = next_name(word.at + word.size, head)) {
        const char *next = word.at + word.size;
        if (type) {
            name = word;
        } else if (starts(next, end, "(") || starts(next, end, "[") || starts(next, end, " =")) {
            return word;
        }
    }
    return name;
}

static int is_replaced(const definitions *all, piece name) {
    int replaced = 0;
    for (uint32_t i = 0; i < all->own && name.size; i++) {
        replaced |= same(all->list[i].name, name);
    }
    return replaced;
}

static void append(definitions *all, const definition *made) {
    if (is_replaced(all, made->name)) {
        return;
    }
    if (all->count == all->capacity) {
        uint32_t capacity = all->capacity ? 2 * all->capacity : 256;
        definition *list = realloc(all->list, capacity * sizeof *list);
        if (!list) {
            all->failed = 1;
            return;
        }
        all->list = list;
        all->capacity = capacity;
    }
    all->list[all->count++] = *made;
}

/* What has no name of ours is not of the vocabulary: comments and includes alone, the texts' private functions. */
static void add_definition(definitions *all, const char *at, const char *end) {
    definition made = {.text = {at, (size_t)(end - at)}};
    const char *code = code_of(made.text);
    if (code == end || *code == '#') {
        return;
    }
    made.name = defines_all(code, end) ? (piece){end, 0} : name_of(code, end);
    if (made.name.size || defines_all(code, end)) {
        append(all, &made);
    }
}

/* Splits a header at its empty lines and at #ifdef, #else and #endif, of which only what holds with nothing defined is
 * kept: no header nests them, and the variants' own macros are never defined in emitted code. */
static void read_definitions(definitions *all, const gali_embedded *file) {
    const char *at = file->data, *end = at + file->size, *start = at;
    int skipping = 0;
    while (at < end) {
        const char *next = line_end(at, end);
        int opens = starts(at, end, "#ifdef"), turns = starts(at, end, "#else"),
            closes = starts(at, end, "#endif");
        if (*at == '\n' || opens || turns || closes) {
            if (!skipping) {
                add_definition(all, start, at);
            }
            skipping = opens || (skipping && !turns && !closes);
            start = next;
        }
        at = next;
    }
    add_definition(all, start, end);
}

static void read_all(definitions *all, const gali_target *target) {
    const special *more = &specials[target->simd];
    if (more->own) {
        read_definitions(all, more->own);
        all->own = all->count;
    }
    read_definitions(all, &gali_embedded_kernels_h);
    read_definitions(all, header_of(target));
    for (size_t i = 0; i < sizeof over_simd / sizeof over_simd[0]; i++) {
        read_definitions(all, over_simd[i]);
    }
    for (size_t i = 0; i < sizeof more->behind / sizeof more->behind[0] && more->behind[i]; i++) {
        read_definitions(all, more->behind[i]);
    }
}

static int defines(const definition *d, piece name) {
    if (d->name.size) {
        return same(d->name, name);
    }
    const char *end = d->text.at + d->text.size;
    for (piece word = next_name(code_of(d->text), end); word.size; word = next_name(word.at + word.size, end)) {
        if (same(word, name)) {
            return 1;
        }
    }
    return 0;
}

/* Marks what the text uses, and what that uses. */
static void mark(definitions *all, piece text) {
    const char *end = text.at + text.size;
    for (piece word = next_name(text.at, end); word.size; word = next_name(word.at + word.size, end)) {
        for (uint32_t i = 0; i < all->count; i++) {
            definition *d = &all->list[i];
            if (!d->used && defines(d, word)) {
                const char *code = code_of(d->text); /* comments may name what is not used */
                d->used = 1;
                mark(all, (piece){code, (size_t)(d->text.at + d->text.size - code)});
            }
        }
    }
}

/* Without the target's flags its words are pages of errors: one says what is missing. */
static void demand_flags(gali_text *text, const gali_target *target) {
    const char *missing = target->simd == GALI_SIMD_AVX2     ? "ifndef __AVX2__"
                          : target->simd == GALI_SIMD_AVX512 ? "ifndef __AVX512F__"
                          : target->simd == GALI_SIMD_NEON   ? "if !defined(__aarch64__) && !defined(_M_ARM64)"
                          : target->simd == GALI_SIMD_WASM   ? "ifndef __wasm_simd128__"
                                                             : NULL;
    if (missing) {
        gali_text_add(text, "#%s\n#error \"this is for %s: compile it with %s\"\n#endif\n\n", missing,
                      target->name, target->flags);
    }
}

void gali_vocabulary_includes(gali_text *text, const gali_target *target) {
    const gali_embedded *header = header_of(target);
    const char *at = header->data, *end = at + header->size;
    demand_flags(text, target);
    for (; at < end; at = line_end(at, end)) {
        if (starts(at, end, "#include <")) {
            gali_text_add_bytes(text, at, (size_t)(line_end(at, end) - at));
        }
    }
    gali_text_add(text, "\n");
    gali_vocabulary_add_compiler(text);
}

void gali_vocabulary_add_library(gali_text *text, const gali_target *target) {
    const gali_embedded *own = target ? specials[target->simd].library : NULL;
    if (own) {
        gali_text_add_bytes(text, own->data, own->size);
        gali_text_add(text, "\n");
    } else {
        gali_text_add(text, "#include <math.h>\n#include <string.h>\n\n");
    }
}

void gali_vocabulary_add_compiler(gali_text *text) {
    gali_text_add_bytes(text, gali_embedded_compiler_h.data, gali_embedded_compiler_h.size);
}

/* What the runtime shares between its sources is a module's own, too. */
static int is_shared(const char *code, const char *end) {
    static const char *const own[] = {"static ", "typedef ", "enum "};
    int shared = 1;
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        shared &= !starts(code, end, own[i]);
    }
    return shared;
}

static void add_text(gali_text *text, piece whole) {
    const char *code = code_of(whole), *end = whole.at + whole.size;
    gali_text_add_bytes(text, whole.at, (size_t)(code - whole.at));
    if (is_shared(code, end)) {
        gali_text_add(text, "static ");
    }
    gali_text_add_bytes(text, code, (size_t)(end - code));
    gali_text_add_bytes(text, "\n", 1);
}

void gali_vocabulary_add(gali_text *text, const gali_target *target, const char *body) {
    definitions all = {.count = 0};
    read_all(&all, target);
    mark(&all, (piece){body, strlen(body)});
    for (uint32_t i = 0; i < all.count; i++) {
        const definition *d = &all.list[i];
        if (d->used) {
            add_text(text, d->text);
        }
    }
    text->failed |= all.failed;
    free(all.list);
}

/* The words of ours that start with gali_one_, as those of the vocabulary. */
static void add_scalar_words(gali_text *to, const char *body) {
    static const char one[] = "gali_one_";
    const char *end = body + strlen(body);
    for (piece word = next_name(body, end); word.size; word = next_name(word.at + word.size, end)) {
        if (starts(word.at, word.at + word.size, one)) {
            gali_text_add(to, "gali_%.*s\n", (int)(word.size - (sizeof one - 1)), word.at + sizeof one - 1);
        }
    }
}

void gali_vocabulary_add_plain(gali_text *text, const char *body) {
    const gali_target scalar = {.simd = GALI_SIMD_SCALAR};
    gali_text words = {0}, whole = {0};
    add_scalar_words(&words, body);
    gali_vocabulary_add(&whole, &scalar, words.bytes ? words.bytes : "");
    gali_vocabulary_rename(text, whole.bytes ? whole.bytes : "", "gali_one");
    gali_text_end(&words, text);
    gali_text_end(&whole, text);
}

/* In lower case, since what is emitted also uses it in upper case. */
gal_status gali_vocabulary_check_name(const char *name, gal_error *error) {
    enum { LETTERS_MOST = 24 };
    size_t size = 0;
    int good = 1;
    for (; good && name[size]; size++) {
        good = (name[size] >= 'a' && name[size] <= 'z') ||
               (size && (name[size] == '_' || isdigit((unsigned char)name[size])));
    }
    return good && size > 0 && size <= LETTERS_MOST
               ? GAL_OK
               : gali_fail(error, GAL_BAD_ARGUMENT,
                           "name \"%.40s\": not a C identifier of at most %d lower-case letters, digits and _",
                           name, LETTERS_MOST);
}

void gali_vocabulary_rename(gali_text *text, const char *body, const char *name) {
    const char *end = body + strlen(body);
    for (piece word = next_name(body, end); word.size; word = next_name(body, end)) {
        gali_text_add_bytes(text, body, (size_t)(word.at - body));
        for (const char *c = name; *c; c++) {
            char letter = *word.at == 'G' ? (char)toupper((unsigned char)*c) : *c;
            gali_text_add_bytes(text, &letter, 1);
        }
        gali_text_add_bytes(text, word.at + 4, word.size - 4);
        body = word.at + word.size;
    }
    gali_text_add_bytes(text, body, (size_t)(end - body));
}

void gali_vocabulary_end(gali_text *text, gali_text *to, const char *name) {
    gali_vocabulary_rename(to, text->bytes ? text->bytes : "", name);
    gali_text_end(text, to);
}
