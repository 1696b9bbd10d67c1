#include "drive_script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "options.h"

enum { CELL_MAX = 64, COLUMNS_MAX = 9, SCRIPT_BYTES_MAX = 64 << 20 };

/* Ranges are those of gal_input; a value outside is a mistake in the file, not something to clamp. */
static const struct {
    const char *name;
    double least, most;
} columns[COLUMNS_MAX] = {
    {"frame", 0, GALI_DRIVE_FRAMES_MAX - 1},
    {"move_x", -1, 1},
    {"move_y", -1, 1},
    {"run", 0, 1},
    {"strafe", 0, 1},
    {"crouch", 0, 1},
    {"responsive", 0, 1},
    {"camera_yaw", -1e6, 1e6},
    {"jump", 0, 1},
};

typedef struct reader {
    const char *at, *end; /* text still to be read */
    const char *name;     /* of the file */
    size_t line;          /* number of the line last taken, from 1 */
    uint32_t column_count;
    uint32_t order[COLUMNS_MAX]; /* column of the file -> index in columns */
    uint32_t capacity;           /* of the script's inputs */
    gal_error *error;
} reader;

/* The next line that is neither empty nor a comment; 0 at the end. */
static int take_line(reader *in, const char **line, size_t *length) {
    while (in->at < in->end) {
        const char *stop = memchr(in->at, '\n', (size_t)(in->end - in->at));
        stop = stop ? stop : in->end;
        *line = in->at;
        *length = (size_t)(stop - in->at);
        in->at = stop < in->end ? stop + 1 : stop;
        in->line++;
        if (*length > 0 && (*line)[*length - 1] == '\r') {
            --*length;
        }
        if (*length > 0 && **line != '#') {
            return 1;
        }
    }
    return 0;
}

/* The text up to the next comma, without spaces around it, cut to fit; moves *line behind the comma. */
static void take_cell(const char **line, size_t *length, char cell[CELL_MAX]) {
    const char *comma = memchr(*line, ',', *length);
    size_t width = comma ? (size_t)(comma - *line) : *length, first = 0, last = width;
    while (first < last && (*line)[first] == ' ') {
        first++;
    }
    while (last > first && (*line)[last - 1] == ' ') {
        last--;
    }
    size_t kept = last - first < CELL_MAX - 1 ? last - first : CELL_MAX - 1;
    memcpy(cell, *line + first, kept);
    cell[kept] = '\0';
    width += comma != NULL;
    *line += width;
    *length -= width;
}

static gal_status add_column(reader *in, const char *cell) {
    uint32_t index = 0;
    while (index < COLUMNS_MAX && strcmp(columns[index].name, cell) != 0) {
        index++;
    }
    if (index == COLUMNS_MAX) {
        return gali_fail(
            in->error, GAL_BAD_DATA,
            "%s, line %zu: unknown column \"%s\"; expected some of frame, move_x, move_y, run, strafe, "
            "crouch, responsive, camera_yaw, jump",
            in->name, in->line, cell);
    }
    for (uint32_t i = 0; i < in->column_count; i++) {
        if (in->order[i] == index) {
            return gali_fail(in->error, GAL_BAD_DATA, "%s, line %zu: column %s stands twice", in->name,
                             in->line, cell);
        }
    }
    in->order[in->column_count++] = index;
    return GAL_OK;
}

static gal_status read_names(reader *in) {
    const char *line = NULL;
    size_t length = 0;
    char cell[CELL_MAX];
    if (!take_line(in, &line, &length)) {
        return gali_fail(in->error, GAL_BAD_DATA, "%s: empty; a line of column names expected", in->name);
    }
    const char *stop = line + length;
    do {
        take_cell(&line, &length, cell);
        gal_status status = add_column(in, cell);
        if (status != GAL_OK) {
            return status;
        }
    } while (length > 0 || (line == stop && line[-1] == ',')); /* a comma at the end: an empty name, refused */
    return GAL_OK;
}

static gal_status read_cells(reader *in, const char *line, size_t length, double values[COLUMNS_MAX]) {
    char cell[CELL_MAX];
    uint32_t commas = 0;
    for (size_t i = 0; i < length; i++) {
        commas += line[i] == ',';
    }
    if (commas + 1 != in->column_count) {
        return gali_fail(in->error, GAL_BAD_DATA, "%s, line %zu: %u cells, %u expected", in->name, in->line,
                         commas + 1, in->column_count);
    }
    for (uint32_t i = 0; i < in->column_count; i++) {
        uint32_t column = in->order[i];
        double *value = &values[column];
        take_cell(&line, &length, cell);
        if (!gali_options_number(cell, value)) {
            return gali_fail(in->error, GAL_BAD_DATA, "%s, line %zu, column %s: \"%s\" is not a number",
                             in->name, in->line, columns[column].name, cell);
        }
        if (*value < columns[column].least || *value > columns[column].most) {
            return gali_fail(in->error, GAL_BAD_DATA, "%s, line %zu, column %s: %s is not in %g..%g", in->name,
                             in->line, columns[column].name, cell, columns[column].least, columns[column].most);
        }
    }
    return GAL_OK;
}

/* The frame that a line starts at: its `frame` cell, or the one after the last. */
static gal_status start_of(reader *in, const gali_drive_script *script, double cell, uint32_t *start) {
    *start = script->frames;
    if (cell >= 0) { /* -1: there is no such column */
        *start = (uint32_t)cell;
        if ((double)*start != cell || *start < script->frames) {
            return gali_fail(in->error, GAL_BAD_DATA,
                             "%s, line %zu, column frame: %g; a whole number from %u expected", in->name,
                             in->line, cell, script->frames);
        }
    }
    if (*start >= GALI_DRIVE_FRAMES_MAX) {
        return gali_fail(in->error, GAL_BAD_DATA, "%s, line %zu: more than %d frames", in->name, in->line,
                         GALI_DRIVE_FRAMES_MAX);
    }
    return GAL_OK;
}

/* Fills the frames up to `start` with the last input, then adds the new one. */
static gal_status append(reader *in, gali_drive_script *script, uint32_t start, const gal_input *input) {
    if (start >= in->capacity) {
        uint32_t capacity = 2 * start + 64;
        gal_input *grown = realloc(script->inputs, capacity * sizeof *grown);
        if (!grown) {
            return gali_fail(in->error, GAL_NO_MEMORY, "%s: no memory for %u frames", in->name, start);
        }
        script->inputs = grown;
        in->capacity = capacity;
    }
    gal_input held = script->frames > 0 ? script->inputs[script->frames - 1] : (gal_input){0};
    while (script->frames < start) {
        script->inputs[script->frames++] = held;
    }
    script->inputs[script->frames++] = *input;
    return GAL_OK;
}

static gal_status read_lines(reader *in, gali_drive_script *script) {
    const char *line = NULL;
    size_t length = 0;
    while (take_line(in, &line, &length)) {
        double v[COLUMNS_MAX] = {-1, 0, 0, 0, 0, 0, 0, 0, 0};
        uint32_t start = 0;
        gal_status status = read_cells(in, line, length, v);
        if (status == GAL_OK) {
            status = start_of(in, script, v[0], &start);
        }
        if (status == GAL_OK) {
            gal_input input = {(float)v[1], (float)v[2], (float)v[3], (float)v[4],
                               (float)v[5], (float)v[7], v[6] != 0,   v[8] != 0};
            status = append(in, script, start, &input);
        }
        if (status != GAL_OK) {
            return status;
        }
    }
    if (script->frames == 0) {
        return gali_fail(in->error, GAL_BAD_DATA, "%s: no frames after the column names", in->name);
    }
    return GAL_OK;
}

/* Spreadsheets begin UTF-8 text with a byte order mark. */
static size_t mark_of(const char *text, size_t size) {
    return size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

gal_status gali_drive_script_parse(gali_drive_script *out, const char *text, size_t size, const char *name,
                                   gal_error *error) {
    size_t mark = mark_of(text, size);
    reader in = {.at = text + mark, .end = text + size, .name = name, .error = error};
    *out = (gali_drive_script){0};
    gal_status status = read_names(&in);
    if (status == GAL_OK) {
        status = read_lines(&in, out);
    }
    if (status != GAL_OK) {
        gali_drive_script_release(out);
    }
    return status;
}

/* All of standard input; *text is released with free. */
static gal_status read_input(char **text, size_t *size, gal_error *error) {
    size_t capacity = 1 << 16, used = 0;
    char *bytes = malloc(capacity);
    while (bytes && (used += fread(bytes + used, 1, capacity - used, stdin)) == capacity) {
        char *grown = capacity < SCRIPT_BYTES_MAX ? realloc(bytes, 2 * capacity) : NULL;
        if (!grown) {
            free(bytes);
            return gali_fail(error, GAL_BAD_DATA, "standard input: more than %zu bytes", capacity - 1);
        }
        bytes = grown;
        capacity *= 2;
    }
    if (!bytes || ferror(stdin)) {
        free(bytes);
        return gali_fail(error, GAL_IO, "standard input: read error");
    }
    *text = bytes;
    *size = used;
    return GAL_OK;
}

static gal_status parse_input(gali_drive_script *out, gal_error *error) {
    char *text = NULL;
    size_t size = 0;
    gal_status status = read_input(&text, &size, error);
    if (status == GAL_OK) {
        status = gali_drive_script_parse(out, text, size, "standard input", error);
    }
    free(text);
    return status;
}

gal_status gali_drive_script_read(gali_drive_script *out, const char *path, gal_error *error) {
    void *text = NULL;
    size_t size = 0;
    *out = (gali_drive_script){0};
    if (strcmp(path, "-") == 0) {
        return parse_input(out, error);
    }
    gal_status status = gali_file_read(path, SCRIPT_BYTES_MAX, NULL, &text, &size, error);
    if (status == GAL_OK) {
        status = gali_drive_script_parse(out, text, size, path, error);
    }
    gali_release(NULL, text, size);
    return status;
}

gal_status gali_drive_script_resize(gali_drive_script *script, uint32_t frames, gal_error *error) {
    gal_input *inputs = realloc(script->inputs, frames * sizeof *inputs);
    if (!inputs) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for %u frames", frames);
    }
    for (uint32_t i = script->frames; i < frames; i++) {
        inputs[i] = inputs[script->frames - 1];
    }
    *script = (gali_drive_script){frames, inputs};
    return GAL_OK;
}

void gali_drive_script_release(gali_drive_script *script) {
    free(script->inputs);
    *script = (gali_drive_script){0};
}
