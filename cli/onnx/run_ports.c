#define _DEFAULT_SOURCE /* strcasecmp */
#include "onnx/run_ports.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/size.h"
#include "compiler/emit/program.h"
#include "directory.h"

enum { PRINTED_MOST = 8, PATH_BYTES = 4096, NAME_BYTES = 128 };
static const size_t file_most = (size_t)1 << 30;

static const gali_value *input_of(const gali_run_ports *ports, uint32_t i) {
    return &ports->graph->values[ports->graph->inputs[i]];
}

void gali_run_type_print(const gali_graph *graph, const gali_type *type, gali_text *text) {
    gali_text_add(text, "%s[", gali_npy_word(type->element));
    for (int d = 0; d < type->rank; d++) {
        gali_text_add(text, "%s", d ? ", " : "");
        gali_extent_print(graph->extents, type->shape[d], text);
    }
    gali_text_add(text, "%s]", type->rank < 0 ? "..." : "");
}

/* Whether a size is told by an input that has it as a dimension. */
static int is_told(const gali_graph *graph, uint32_t symbol) {
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const gali_type *type = &graph->values[graph->inputs[i]].type;
        for (int d = 0; d < type->rank; d++) {
            if (gali_extent_as_symbol(graph->extents, type->shape[d]) == (int)symbol) {
                return 1;
            }
        }
    }
    return 0;
}

int gali_run_ports_follow(const gali_graph *graph) {
    for (uint32_t i = 0; i < graph->output_count; i++) {
        const gali_type *type = &graph->values[graph->outputs[i]].type;
        for (int d = 0; d < type->rank; d++) {
            if (type->shape[d] == GALI_EXTENT_UNKNOWN) {
                return 0;
            }
            for (uint32_t s = 0; s < gali_extent_symbols(graph->extents); s++) {
                if (gali_extent_has(graph->extents, type->shape[d], s) && !is_told(graph, s)) {
                    return 0;
                }
            }
        }
        if (type->rank < 0) {
            return 0;
        }
    }
    return 1;
}

/* ---- which file is which input's ---- */

/* The input that the text names before a '='; GALI_NONE. *path is what follows. */
static uint32_t find_named(const gali_run_ports *ports, const char *text, const char **path) {
    for (uint32_t i = 0; i < ports->graph->input_count; i++) {
        const char *name = input_of(ports, i)->name;
        size_t size = strlen(name);
        if (size && strncmp(text, name, size) == 0 && text[size] == '=') {
            *path = text + size + 1;
            return i;
        }
    }
    return GALI_NONE;
}

static gal_status refuse_name(const gali_run_ports *ports, const char *text, gal_error *error) {
    gali_text names = {0};
    for (uint32_t i = 0; i < ports->graph->input_count; i++) {
        gali_text_add(&names, "%s\"%.40s\"", i ? ", " : "", input_of(ports, i)->name);
    }
    gali_fail(error, GAL_BAD_ARGUMENT, "--input %.80s: the model has no input of that name; it has %.120s",
              text, names.bytes ? names.bytes : "none");
    gali_text_release(&names);
    return GAL_BAD_ARGUMENT;
}

static gal_status assign(gali_run_ports *ports, const gali_option_list *files, gal_error *error) {
    uint32_t next = 0;
    for (uint32_t i = 0; i < files->count; i++) {
        const char *text = files->texts[i], *path = text;
        uint32_t input = find_named(ports, text, &path);
        if (input == GALI_NONE && strchr(text, '=')) {
            return refuse_name(ports, text, error);
        }
        while (input == GALI_NONE && next < ports->graph->input_count && ports->files[next]) {
            next++;
        }
        input = input == GALI_NONE ? next : input;
        if (input >= ports->graph->input_count) {
            return gali_fail(error, GAL_BAD_ARGUMENT, "--input %.80s: one too many, the model has %u", text,
                             ports->graph->input_count);
        }
        if (ports->files[input]) {
            return gali_fail(error, GAL_BAD_ARGUMENT, "--input %.80s: \"%.40s\" is given already", text,
                             input_of(ports, input)->name);
        }
        if (!*path) {
            return gali_fail(error, GAL_BAD_ARGUMENT, "--input %.80s: a file is missing", text);
        }
        ports->files[input] = path;
    }
    for (uint32_t i = 0; i < ports->graph->input_count; i++) {
        if (!ports->files[i]) {
            gali_text type = {0};
            gali_run_type_print(ports->graph, &input_of(ports, i)->type, &type);
            gali_fail(error, GAL_BAD_ARGUMENT, "input \"%.80s\" is missing: --input %.80s=X.npy, %.120s",
                      input_of(ports, i)->name, input_of(ports, i)->name, type.bytes ? type.bytes : "");
            gali_text_release(&type);
            return GAL_BAD_ARGUMENT;
        }
    }
    return GAL_OK;
}

/* ---- whether the arrays fit ---- */

static gal_status refuse_array(const gali_run_ports *ports, uint32_t input, const gali_npy *array,
                               const char *why, gal_error *error) {
    gali_text text = {0};
    gali_type own = {.element = array->element, .rank = (int)array->dimensions};
    for (uint32_t d = 0; d < array->dimensions; d++) {
        own.shape[d] = (gali_extent)array->shape[d];
    }
    gali_run_type_print(ports->graph, &own, &text);
    gali_text_add(&text, ", but input \"%.80s\" wants ", input_of(ports, input)->name);
    gali_run_type_print(ports->graph, &input_of(ports, input)->type, &text);
    gali_fail(error, GAL_BAD_DATA, "%.100s: %.250s%s", ports->files[input], text.bytes ? text.bytes : "", why);
    gali_text_release(&text);
    return GAL_BAD_DATA;
}

/* Whether an array of that element is one of this: bf16 comes as the bits that NumPy has no word for. */
static int same_element(gali_element got, gali_element wanted) {
    return got == wanted || (wanted == GALI_bf16 && got == GALI_u16);
}

/* Symbols take the extents of the arrays that have them alone; those that have them already must have the same. */
static gal_status bind(gali_run_ports *ports, uint32_t input, const gali_npy *array, gal_error *error) {
    const gali_extents *x = ports->graph->extents;
    const gali_type *type = &input_of(ports, input)->type;
    for (uint32_t d = 0; d < array->dimensions; d++) {
        char why[200] = "";
        int symbol = gali_extent_as_symbol(x, type->shape[d]);
        int64_t extent = (int64_t)array->shape[d], least = 0, most = 0;
        if (symbol >= 0) {
            const char *name = gali_extent_symbol_name(x, (uint32_t)symbol);
            gali_extent_symbol_range(x, (uint32_t)symbol, &least, &most);
            if (ports->symbols[symbol] && ports->symbols[symbol] != extent) {
                snprintf(why, sizeof why, ": size %.40s is %lld in another input", name,
                         (long long)ports->symbols[symbol]);
            } else if (extent < 1 || extent < least || extent > most) {
                snprintf(why, sizeof why, ": size %.40s is %lld", name, (long long)extent);
            }
            ports->symbols[symbol] = extent;
        } else if (gali_extent_is_number(type->shape[d]) && type->shape[d] != extent) {
            snprintf(why, sizeof why, ": dimension %u differs", d);
        }
        if (*why) {
            return refuse_array(ports, input, array, why, error);
        }
    }
    return GAL_OK;
}

/* Extents that follow from sizes of other inputs are checked when all of them are known. */
static gal_status check_expressions(const gali_run_ports *ports, uint32_t input, gal_error *error) {
    const gali_npy *array = &ports->arrays[input];
    const gali_type *type = &input_of(ports, input)->type;
    for (uint32_t d = 0; d < array->dimensions; d++) {
        int64_t extent = gali_extent_value(ports->graph->extents, type->shape[d], ports->symbols);
        if (extent != (int64_t)array->shape[d]) {
            char why[64];
            snprintf(why, sizeof why, ": dimension %u is %lld by other inputs", d, (long long)extent);
            return refuse_array(ports, input, array, why, error);
        }
    }
    return GAL_OK;
}

static gal_status read_array(gali_run_ports *ports, uint32_t input, gal_error *error) {
    void *bytes = NULL;
    size_t size = 0;
    gali_npy array;
    const gali_type *type = &input_of(ports, input)->type;
    const char *path = ports->files[input];
    gal_status status = gali_file_read(path, file_most, NULL, &bytes, &size, error);
    status = status == GAL_OK ? gali_npy_parse(&array, bytes, size, path, error) : status;
    if (status == GAL_OK && !same_element(array.element, type->element)) {
        status = refuse_array(ports, input, &array, "", error);
    } else if (status == GAL_OK && (int)array.dimensions != type->rank) {
        status = refuse_array(ports, input, &array, ": another number of dimensions", error);
    }
    status = status == GAL_OK ? bind(ports, input, &array, error) : status;
    if (status == GAL_OK) {
        ports->arrays[input] = array;
        ports->arrays[input].data = NULL;
        size_t data = array.count * gali_element_list[array.element].bytes;
        ports->inputs[input] = gali_arena_take(&ports->arena, data + 1);
        if (!ports->inputs[input]) {
            status = gali_fail(error, GAL_NO_MEMORY, "%s: no memory for %zu bytes", path, data);
        } else {
            memcpy(ports->inputs[input], array.data, data);
        }
    }
    gali_release(NULL, bytes, size);
    return status;
}

static gal_status take_lists(gali_run_ports *ports, gal_error *error) {
    const gali_graph *graph = ports->graph;
    uint32_t symbols = gali_extent_symbols(graph->extents);
    ports->files = gali_arena_take(&ports->arena, (graph->input_count + 1) * sizeof *ports->files);
    ports->inputs = gali_arena_take(&ports->arena, (graph->input_count + 1) * sizeof *ports->inputs);
    ports->arrays = gali_arena_take(&ports->arena, (graph->input_count + 1) * sizeof *ports->arrays);
    ports->outputs = gali_arena_take(&ports->arena, (graph->output_count + 1) * sizeof *ports->outputs);
    ports->symbols = gali_arena_take(&ports->arena, (symbols + 1) * sizeof *ports->symbols);
    ports->number = gali_arena_take(&ports->arena, (symbols + 1) * sizeof *ports->number);
    ports->sizes = gali_arena_take(&ports->arena, (symbols + 1) * sizeof *ports->sizes);
    return ports->arena.failed ? gali_fail(error, GAL_NO_MEMORY, "no memory for a model's inputs") : GAL_OK;
}

static void order_sizes(gali_run_ports *ports) {
    uint32_t symbols = gali_extent_symbols(ports->graph->extents);
    ports->given = ports->size_count = gali_emit_sizes(ports->graph, ports->number);
    if (ports->program) {
        ports->size_count = gali_emit_told(ports->program->graph, ports->number, ports->given);
    }
    for (uint32_t s = 0; s < symbols; s++) {
        if (ports->number[s] > ports->given) {
            ports->symbols[s] = ports->program->most[s];
        } else if (ports->number[s]) {
            ports->sizes[ports->number[s] - 1] = (uint32_t)ports->symbols[s];
        }
    }
}

void gali_run_ports_tell(gali_run_ports *ports) {
    for (uint32_t s = 0; s < gali_extent_symbols(ports->graph->extents); s++) {
        if (ports->number[s] > ports->given) {
            ports->symbols[s] = ports->sizes[ports->number[s] - 1];
        }
    }
}

gal_status gali_run_ports_read(gali_run_ports *ports, const gali_option_list *files, gal_error *error) {
    gal_status status = take_lists(ports, error);
    status = status == GAL_OK ? assign(ports, files, error) : status;
    for (uint32_t i = 0; status == GAL_OK && i < ports->graph->input_count; i++) {
        status = read_array(ports, i, error);
    }
    for (uint32_t i = 0; status == GAL_OK && i < ports->graph->input_count; i++) {
        status = check_expressions(ports, i, error);
    }
    if (status == GAL_OK) {
        order_sizes(ports);
    }
    return status;
}

/* ---- outputs ---- */

static size_t shape_of(const gali_run_ports *ports, uint32_t output, size_t shape[GALI_RANK_MAX]) {
    const gali_type *type = &ports->graph->values[ports->graph->outputs[output]].type;
    size_t count = 1;
    for (int d = 0; d < type->rank; d++) {
        int64_t extent = gali_extent_value(ports->graph->extents, type->shape[d], ports->symbols);
        shape[d] = extent < 0 ? GALI_SIZE_BAD : (size_t)extent;
        count = gali_size_mul(count, shape[d]);
    }
    return count;
}

gal_status gali_run_ports_make_outputs(gali_run_ports *ports, gal_error *error) {
    for (uint32_t i = 0; i < ports->graph->output_count; i++) {
        size_t shape[GALI_RANK_MAX];
        const gali_value *value = &ports->graph->values[ports->graph->outputs[i]];
        size_t size = gali_size_mul(shape_of(ports, i, shape), gali_element_list[value->type.element].bytes);
        ports->outputs[i] = size == GALI_SIZE_BAD ? NULL : gali_arena_take(&ports->arena, size + 1);
        if (!ports->outputs[i]) {
            return gali_fail(error, GAL_NO_MEMORY, "no memory for output \"%.80s\"", value->name);
        }
    }
    return GAL_OK;
}

static gal_status write_one(const gali_run_ports *ports, uint32_t output, const char *path, gal_error *error) {
    size_t shape[GALI_RANK_MAX];
    const gali_type *type = &ports->graph->values[ports->graph->outputs[output]].type;
    shape_of(ports, output, shape);
    return gali_npy_write(path, ports->outputs[output], type->element, (uint32_t)type->rank, shape, error);
}

/* The output's name with what is no letter, digit, dot or dash as one underline. Returns its length. */
static size_t plain_name(const gali_run_ports *ports, uint32_t output, char name[NAME_BYTES]) {
    size_t size = 0;
    for (const char *at = ports->graph->values[ports->graph->outputs[output]].name;
         *at && size + 1 < NAME_BYTES; at++) {
        int good = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9') ||
                   *at == '-' || (*at == '.' && size > 0);
        if (good || (size > 0 && name[size - 1] != '_')) {
            name[size++] = good ? *at : '_';
        }
    }
    name[size] = 0;
    return size;
}

/* Whether one of the first outputs has that name, to a file system that may not tell A from a. */
static int is_taken(const gali_run_ports *ports, uint32_t outputs, const char *name) {
    char other[NAME_BYTES];
    for (uint32_t i = 0; i < outputs; i++) {
        plain_name(ports, i, other);
        if (strcasecmp(name, other) == 0) {
            return 1;
        }
    }
    return 0;
}

/* NAME.npy in the folder; where the name is nothing, or that of one before it, outputN.npy, which no output is named. */
static gal_status path_in(const gali_run_ports *ports, uint32_t output, const char *folder,
                          char path[PATH_BYTES], gal_error *error) {
    const uint32_t count = ports->graph->output_count;
    char name[NAME_BYTES];
    int named = plain_name(ports, output, name) && !is_taken(ports, output, name);
    for (uint32_t number = output; !named; number += count) {
        snprintf(name, sizeof name, "output%u", number);
        named = !is_taken(ports, count, name);
    }
    int length = snprintf(path, PATH_BYTES, "%s/%s.npy", folder, name);
    return length < PATH_BYTES ? GAL_OK : gali_fail(error, GAL_IO, "%.64s...: the path is too long", folder);
}

static int is_file_path(const char *path) {
    size_t length = strlen(path);
    return strcmp(path, "-") == 0 || (length > 4 && strcmp(path + length - 4, ".npy") == 0);
}

gal_status gali_run_ports_fit(const gali_graph *graph, const char *path, gal_error *error) {
    return is_file_path(path) && graph->output_count != 1
               ? gali_fail(error, GAL_BAD_ARGUMENT, "-o %.100s: the model has %u outputs: name a folder", path,
                           graph->output_count)
               : GAL_OK;
}

/* Where an output goes. */
static gal_status place_output(const gali_run_ports *ports, uint32_t output, const char *path,
                               char file[PATH_BYTES], gal_error *error) {
    if (!is_file_path(path)) {
        return path_in(ports, output, path, file, error);
    }
    return snprintf(file, PATH_BYTES, "%s", path) < PATH_BYTES
               ? GAL_OK
               : gali_fail(error, GAL_IO, "%.64s...: the path is too long", path);
}

gal_status gali_run_ports_spare(const gali_run_ports *ports, const char *path, const char *const *read,
                                size_t count, gal_error *error) {
    char file[PATH_BYTES];
    for (uint32_t i = 0; i < ports->graph->output_count; i++) {
        gal_status status = place_output(ports, i, path, file, error);
        if (status != GAL_OK) {
            return status;
        }
        if (gali_file_replaces(file, read, count) ||
            gali_file_replaces(file, ports->files, ports->graph->input_count)) {
            return gali_fail(error, GAL_BAD_ARGUMENT, "%.200s: a file that is read, which would be lost", file);
        }
    }
    return GAL_OK;
}

gal_status gali_run_ports_write(const gali_run_ports *ports, const char *path, gal_error *error) {
    int is_file = is_file_path(path);
    gal_status status = is_file ? gali_directory_make_for(path, error) : gali_directory_make(path, error);
    for (uint32_t i = 0; status == GAL_OK && i < ports->graph->output_count; i++) {
        char file[PATH_BYTES];
        status = place_output(ports, i, path, file, error);
        status = status == GAL_OK ? write_one(ports, i, file, error) : status;
        if (status == GAL_OK && !is_file) {
            printf("%s\n", file);
        }
    }
    return status;
}

void gali_run_ports_print(const gali_run_ports *ports) {
    for (uint32_t i = 0; i < ports->graph->output_count; i++) {
        gali_value value = ports->graph->values[ports->graph->outputs[i]];
        size_t shape[GALI_RANK_MAX], count = shape_of(ports, i, shape);
        gali_text text = {0};
        for (int d = 0; d < value.type.rank; d++) {
            value.type.shape[d] = (gali_extent)shape[d];
        }
        gali_run_type_print(ports->graph, &value.type, &text);
        printf("%s  %s\n   ", value.name, text.bytes ? text.bytes : "");
        value.data = ports->outputs[i];
        for (size_t k = 0; k < count && k < PRINTED_MOST; k++) {
            if (gali_element_list[value.type.element].kind == GALI_REAL) {
                printf(" %.7g", gali_constant_real(&value, k));
            } else {
                printf(" %lld", (long long)gali_constant_whole(&value, k));
            }
        }
        printf("%s\n", count > PRINTED_MOST ? " ..." : "");
        gali_text_release(&text);
    }
}

void gali_run_ports_release(gali_run_ports *ports) {
    gali_arena_release(&ports->arena);
    *ports = (gali_run_ports){.graph = NULL};
}
