#include "compiler/schedule/schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

typedef enum word_kind { AXIS, STAGE, BUFFER, NUMBER, COUNT, KERNEL, NONE } word_kind;

typedef struct primitive {
    const char *name;
    word_kind target, argument;
} primitive;

static const primitive primitives[GALI_PRIMITIVE_COUNT] = {
#define PRIMITIVE(id, name, target, argument, meaning) [GALI_PRIMITIVE_##id] = {name, target, argument},
#include "compiler/schedule/primitives.def"
#undef PRIMITIVE
};

void gali_schedule_clear(gali_schedule *schedule) {
    schedule->count = 0;
    schedule->full = 0;
}

void gali_schedule_add(gali_schedule *schedule, gali_primitive what, const char *target, const char *argument,
                       uint32_t number) {
    if (schedule->count == GALI_SCHEDULE_ENTRIES_MAX) {
        schedule->full = 1;
        return;
    }
    gali_schedule_entry *entry = &schedule->entry[schedule->count++];
    *entry = (gali_schedule_entry){.primitive = what, .number = number};
    snprintf(entry->target, sizeof entry->target, "%s", target);
    snprintf(entry->argument, sizeof entry->argument, "%s", argument ? argument : "");
}

int gali_schedule_same(const gali_schedule *a, const gali_schedule *b) {
    return a->count == b->count && memcmp(a->entry, b->entry, a->count * sizeof *a->entry) == 0;
}

void gali_schedule_print_entry(const gali_schedule_entry *entry, gali_text *text) {
    gali_text_add(text, "%s %s", primitives[entry->primitive].name, entry->target);
    if (*entry->argument) {
        gali_text_add(text, " %s", entry->argument);
    } else if (entry->number) {
        gali_text_add(text, " %u", entry->number);
    }
}

void gali_schedule_print(const gali_schedule *schedule, const char *separator, gali_text *text) {
    for (uint32_t i = 0; i < schedule->count; i++) {
        gali_text_add(text, "%s", i ? separator : "");
        gali_schedule_print_entry(&schedule->entry[i], text);
    }
}

/* A place in a schedule's text, for messages. */
typedef struct place {
    uint32_t number;
    const char *text;
    size_t size;
    gal_error *error;
} place;

static gal_status fail(const place *p, const char *message) {
    return gali_fail(p->error, GAL_BAD_DATA, "schedule, entry %u (%.*s): %s", p->number,
                     (int)(p->size < 80 ? p->size : 80), p->text, message);
}

/* Cuts the next word off [*at, end). */
static int next_word(const char **at, const char *end, char word[GALI_LOOP_NAME_MAX]) {
    while (*at < end && strchr(" \t\r", **at)) {
        ++*at;
    }
    size_t size = 0;
    while (*at + size < end && !strchr(" \t\r", (*at)[size])) {
        size++;
    }
    if (size == 0 || size >= GALI_LOOP_NAME_MAX) {
        return 0;
    }
    memcpy(word, *at, size);
    word[size] = 0;
    *at += size;
    return 1;
}

static int is_number(const char *word, uint32_t *number) {
    size_t digits = strspn(word, "0123456789");
    *number = digits && digits < 8 ? (uint32_t)strtoul(word, NULL, 10) : 0;
    return digits && !word[digits] && *number >= 1 && *number <= GALI_LOOP_EXTENT_MAX;
}

static int is_name(const char *word) {
    return strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") == strlen(word) &&
           !strchr("0123456789.", *word);
}

static gal_status read_argument(const place *p, const primitive *what, const char *word, int there,
                                gali_schedule_entry *entry) {
    int number = what->argument == NUMBER || what->argument == COUNT;
    if (there ? what->argument == NONE : what->argument != NONE && what->argument != COUNT) {
        return fail(p, there ? "one word too many" : "an argument is missing");
    }
    if (there && number && !is_number(word, &entry->number)) {
        return fail(p, "the argument is no number from 1 to 1048576");
    }
    if (there && !number) {
        if (!is_name(word)) {
            return fail(p, "the argument is no name");
        }
        memcpy(entry->argument, word, GALI_LOOP_NAME_MAX);
    }
    return GAL_OK;
}

static gal_status read_entry(const place *p, gali_schedule *schedule) {
    char word[3][GALI_LOOP_NAME_MAX] = {"", "", ""};
    const char *at = p->text, *end = p->text + p->size;
    int words = 0;
    while (words < 3 && next_word(&at, end, word[words])) {
        words++;
    }
    while (at < end && strchr(" \t\r", *at)) {
        at++;
    }
    if (at < end || words < 2) {
        return fail(p, "expected PRIMITIVE TARGET [ARGUMENT]");
    }
    int i = 0;
    while (i < GALI_PRIMITIVE_COUNT && strcmp(word[0], primitives[i].name) != 0) {
        i++;
    }
    if (i == GALI_PRIMITIVE_COUNT) {
        return fail(p, "no such primitive");
    }
    if (!is_name(word[1])) {
        return fail(p, "the target is no name");
    }
    gali_schedule_add(schedule, (gali_primitive)i, word[1], NULL, 0);
    if (schedule->full) {
        return fail(p, "too many entries");
    }
    return read_argument(p, &primitives[i], word[2], words == 3, &schedule->entry[schedule->count - 1]);
}

gal_status gali_schedule_parse(gali_schedule *schedule, const char *text, size_t size, gal_error *error) {
    const char *end = text + size;
    gal_status status = GAL_OK;
    place p = {.error = error};
    gali_schedule_clear(schedule);
    if (memchr(text, 0, size)) {
        return gali_fail(error, GAL_BAD_DATA, "schedule: not text");
    }
    while (text < end && status == GAL_OK) {
        const char *stop = text;
        while (stop < end && *stop != ';' && *stop != '\n') {
            stop++;
        }
        while (text < stop && strchr(" \t\r", *text)) {
            text++;
        }
        p.number += text < stop;
        p.text = text;
        p.size = (size_t)(stop - text);
        status = p.size ? read_entry(&p, schedule) : GAL_OK;
        text = stop < end ? stop + 1 : end;
    }
    return status;
}
