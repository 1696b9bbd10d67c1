#include "options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "nearest.h"

int gali_options_number(const char *text, double *value) {
    char *end = NULL;
    if (*text == '\0' || strspn(text, "+-.0123456789eE") != strlen(text)) {
        return 0; /* strtod would also take spaces, hexadecimal, inf and nan */
    }
    *value = strtod(text, &end);
    return *end == '\0' && isfinite(*value);
}

static const gali_option *find(const gali_option *options, size_t count, const char *name, size_t length) {
    for (size_t i = 0; i < count; i++) {
        if (options[i].kind != GALI_OPTION_WORD && strlen(options[i].name) == length &&
            memcmp(options[i].name, name, length) == 0) {
            return &options[i];
        }
    }
    return NULL;
}

static int unknown(const char *command, const gali_option *options, size_t count, const char *text,
                   size_t length) {
    gali_nearest nearest = {0};
    const char *meant = NULL;
    size_t dashes = strspn(text, "-"); /* which all have: they make nothing near */
    for (size_t i = 0; i < count; i++) {
        const char *name = options[i].name, *letters = name + strspn(name, "-");
        if (options[i].kind != GALI_OPTION_WORD) {
            gali_nearest_try(&nearest, text + dashes, length - dashes, letters);
            meant = nearest.name == letters ? name : meant;
        }
    }
    return meant
               ? gali_command_usage(command, "unknown option %.*s; did you mean %s?", (int)length, text, meant)
               : gali_command_usage(command, "unknown option %.*s", (int)length, text);
}

static int set_number(const char *command, const gali_option *option, const char *text) {
    double value = 0;
    int whole = option->kind == GALI_OPTION_COUNT;
    if (!gali_options_number(text, &value) || value < option->least || value > option->most ||
        (whole && value != floor(value))) {
        return gali_command_usage(command, "%s %s: %s from %.10g to %.10g expected", option->name, text,
                                  whole ? "a whole number" : "a number", option->least, option->most);
    }
    if (whole) {
        *(uint32_t *)option->value = (uint32_t)value;
    } else {
        *(double *)option->value = value;
    }
    return GALI_EXIT_OK;
}

static int set(const char *command, const gali_option *option, const char *text) {
    if (option->kind == GALI_OPTION_COUNT || option->kind == GALI_OPTION_NUMBER) {
        return set_number(command, option, text);
    }
    if (option->kind == GALI_OPTION_LIST) {
        gali_option_list *list = option->value;
        if (list->count == GALI_OPTION_LIST_MAX) {
            return gali_command_usage(command, "%s: more than %d", option->name, GALI_OPTION_LIST_MAX);
        }
        list->texts[list->count++] = text;
        return GALI_EXIT_OK;
    }
    *(const char **)option->value = text;
    return GALI_EXIT_OK;
}

/* Whether a word is an option of the command, with its value or without: none's value, unless that is joined by =. */
static int is_option(const gali_option *options, size_t count, const char *text) {
    return find(options, count, text, strcspn(text, "=")) != NULL;
}

/* An option at argv[*at]; moves *at on past its value. */
static int read_option(const char *command, int argc, char **argv, int *at, const gali_option *options,
                       size_t count) {
    const char *text = argv[(*at)++], *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    const gali_option *option = find(options, count, text, length);
    if (!option) {
        return unknown(command, options, count, text, length);
    }
    if (option->kind == GALI_OPTION_FLAG) {
        if (equals) {
            return gali_command_usage(command, "%s takes no value", option->name);
        }
        *(int *)option->value = 1;
        return GALI_EXIT_OK;
    }
    if (!equals && (*at >= argc || is_option(options, count, argv[*at]))) {
        return gali_command_usage(command, "%s needs a value", option->name);
    }
    return set(command, option, equals ? equals + 1 : argv[(*at)++]);
}

static const gali_option *word(const gali_option *options, size_t count, size_t index) {
    for (size_t i = 0; i < count; i++) {
        if (options[i].kind == GALI_OPTION_WORD && index-- == 0) {
            return &options[i];
        }
    }
    return NULL;
}

/* A word too many. */
static int unexpected(const char *command, const gali_option *options, size_t count, const char *text) {
    const gali_option *first = word(options, count, 0);
    if (!first) {
        return gali_command_usage(command, "unexpected word %s; it takes options alone", text);
    }
    return word(options, count, 1)
               ? gali_command_usage(command, "unexpected word %s", text)
               : gali_command_usage(command, "unexpected word %s; it takes one, %s", text, first->name);
}

int gali_options_read(const char *command, int argc, char **argv, const gali_option *options, size_t count) {
    size_t words = 0;
    int only_words = 0;
    for (int at = 1; at < argc;) {
        if (!only_words && strcmp(argv[at], "--") == 0) {
            only_words = 1;
            at++;
        } else if (!only_words && argv[at][0] == '-' && argv[at][1] != '\0') {
            int result = read_option(command, argc, argv, &at, options, count);
            if (result != GALI_EXIT_OK) {
                return result;
            }
        } else {
            const gali_option *option = word(options, count, words++);
            if (!option) {
                return unexpected(command, options, count, argv[at]);
            }
            *(const char **)option->value = argv[at++];
        }
    }
    const gali_option *missing = word(options, count, words);
    if (missing && missing->least != 0) {
        return gali_command_usage(command, "%s is missing", missing->name);
    }
    return GALI_EXIT_OK;
}
