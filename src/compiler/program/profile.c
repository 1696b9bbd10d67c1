#include "compiler/program/profile.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/embedded.h"
#include "base/error.h"
#include "base/number.h"

extern const gali_embedded gali_embedded_profile;

enum { LINE_MOST = 240 };

static int find_pair(const char *first, const char *second) {
    static const char *const pairs[][2] = {
#define PAIR(id, first, second, meaning) {first, second},
        GALI_PROFILE_PAIRS
#undef PAIR
    };
    int pair = 0;
    while (pair < GALI_PAIR_COUNT &&
           (strcmp(pairs[pair][0], first) != 0 || strcmp(pairs[pair][1], second) != 0)) {
        pair++;
    }
    return pair;
}

/* NULL, or what is wrong with the row. */
static const char *read_row(gali_profile *profile, const char *line) {
    char first[16], second[16], times[2][32], machine;
    double fused, apart;
    if (sscanf(line, "%15s %15s %31s %31s %c", first, second, times[0], times[1], &machine) != 5) {
        return "expected FIRST SECOND FUSED APART MACHINE";
    }
    int pair = find_pair(first, second);
    if (pair == GALI_PAIR_COUNT) {
        return "no such pair of classes";
    }
    if (!gali_number_read(times[0], strlen(times[0]), &fused) ||
        !gali_number_read(times[1], strlen(times[1]), &apart) || !(fused > 0 && apart > 0)) {
        return "a time is no positive number";
    }
    profile->rows[pair]++;
    profile->gain[pair] += log(apart) - log(fused);
    return NULL;
}

gal_status gali_profile_parse(gali_profile *profile, const char *text, size_t size, const char *name,
                              gal_error *error) {
    const char *end = text + size;
    for (uint32_t number = 1; text < end; number++) {
        char line[LINE_MOST];
        const char *newline = memchr(text, '\n', (size_t)(end - text)), *stop = newline ? newline : end;
        size_t length = (size_t)(stop - text);
        const char *why = length < sizeof line ? NULL : "too long a line";
        if (!why) {
            memcpy(line, text, length);
            line[length] = 0;
            why = *line == '#' || strspn(line, " \t\r") == length ? NULL : read_row(profile, line);
        }
        if (why) {
            return gali_fail(error, GAL_BAD_DATA, "%s, line %u: %s", name, number, why);
        }
        text = newline ? newline + 1 : end;
    }
    return GAL_OK;
}

gal_status gali_profile_built_in(gali_profile *profile, gal_error *error) {
    return gali_profile_parse(profile, (const char *)gali_embedded_profile.data, gali_embedded_profile.size,
                              "profile.txt", error);
}

int gali_profile_fuses(const gali_profile *profile, gali_profile_pair pair) {
    return profile->rows[pair] && profile->gain[pair] > 0;
}
