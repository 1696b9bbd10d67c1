/* Parameters and arguments of the functions that are printed: those whose names their bodies have. */
#include <stdio.h>
#include <string.h>

#include "compiler/loop/print_c_parts.h"

static int is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

int gali_c_has_name(gali_text *to, const gali_text *body, const char *name, const char *ending) {
    gali_text word = {0};
    int found = !body;
    gali_c_name(&word, name);
    gali_text_add(&word, "%s", ending);
    const char *at = body && !word.failed ? body->bytes : NULL;
    for (; at && !found && (at = strstr(at, word.bytes)) != NULL; at++) {
        found = (at == body->bytes || !is_word(at[-1])) && !is_word(at[word.size]);
    }
    gali_text_end(&word, to);
    return found;
}

/* Appends what stands before a name, and the name. */
static void add_prefixed(gali_c_list *l, const char *prefix, const char *name, const char *ending) {
    if (gali_c_has_name(l->to, l->body, name, ending)) {
        gali_text_add(l->to, "%s%s", l->count++ ? ", " : "", prefix);
        gali_c_name(l->to, name);
        gali_text_add(l->to, "%s", ending);
    }
}

void gali_c_list_item(gali_c_list *l, const char *type, const char *name, const char *ending) {
    add_prefixed(l, l->declare ? type : "", name, ending);
}

void gali_c_list_parameter(gali_c_list *l, const gali_loop_buffer *buffer) {
    char type[48];
    if (gali_c_is_returned(l->words, buffer)) {
        return;
    }
    if (gali_c_is_image(l->words, buffer)) {
        snprintf(type, sizeof type, "__read_only image2d_t ");
    } else {
        snprintf(type, sizeof type, "%s%s%s *", l->words ? l->words->pointer : "",
                 gali_c_is_result(buffer) ? "" : "const ", gali_element_list[buffer->element].c);
    }
    gali_c_list_item(l, type, buffer->name, "");
    if (gali_c_has_stride(l->function, buffer)) {
        gali_c_list_item(l, "size_t ", buffer->name, "_stride");
    }
}

void gali_c_list_steps(gali_c_list *l, const gali_loop_buffer *buffer) {
    for (uint32_t d = 0; d + 1 < buffer->rank; d++) {
        char ending[16];
        snprintf(ending, sizeof ending, "_step%u", d);
        if (gali_c_has_step(l->function, buffer, d)) {
            gali_c_list_item(l, "const size_t ", buffer->name, ending);
        }
    }
}

/* One number or vector goes as a pointer, which it is already in a function that it was made outside of. */
static void add_local(const gali_c_printer *p, gali_c_list *l, const gali_loop_buffer *local, int outside) {
    char type[32];
    uint32_t rank = gali_c_rank(p, local), before = l->count;
    if (l->declare) {
        snprintf(type, sizeof type, "%s %s", gali_c_type(p, local), rank ? "" : "*");
    } else {
        snprintf(type, sizeof type, "%s", rank || outside ? "" : "&");
    }
    add_prefixed(l, type, local->name, "");
    for (uint32_t d = 0; d < rank && l->declare && l->count > before; d++) {
        gali_text_add(l->to, "[%u]", gali_loop_size(&local->extent[d]));
    }
}

void gali_c_list_needs(const gali_c_printer *p, gali_c_list *l) {
    for (uint32_t i = 0; i < p->function->symbols; i++) {
        gali_c_list_item(l, "const size_t ", p->function->variable[i]->name, "");
    }
    for (const gali_loop_statement *size = p->function->sizes; size; size = size->next) {
        gali_c_list_item(l, "const size_t ", size->variable->name, "");
    }
    for (uint32_t i = 0; i < p->function->parameters; i++) {
        gali_c_list_parameter(l, p->function->buffer[i]);
        gali_c_list_steps(l, p->function->buffer[i]);
    }
    for (uint32_t i = 0; i < p->scopes; i++) {
        if (p->scope[i]->kind == GALI_LOOP_MAKE) {
            add_local(p, l, p->scope[i]->local, i < p->outside);
        } else {
            gali_c_list_item(l, "const size_t ", p->scope[i]->variable->name, "");
        }
    }
}
