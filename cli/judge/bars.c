#include "judge/bars.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/system.h"
#include "options.h"

static gali_script_set sets_of(const gali_judge_script *script) {
    int flat = script->ground == GALI_GROUND_FLAT, steady = gali_judge_is_steady(script) || script->still;
    gali_script_set sets = script->run > 0 ? GALI_SET_RUN : GALI_SET_WALK;
    sets |= flat ? GALI_SET_FLAT : GALI_SET_ANY;
    sets |= flat && steady ? GALI_SET_STEADY : GALI_SET_ANY;
    sets |= flat && !steady ? GALI_SET_SUDDEN : GALI_SET_ANY;
    sets |= gali_judge_ground_is_slope(script->ground) ? GALI_SET_SLOPE : GALI_SET_ANY;
    sets |= script->ground == GALI_GROUND_STAIRS ? GALI_SET_STAIRS : GALI_SET_ANY;
    return sets;
}

static void set_bar(gali_judge_bars *bars, uint32_t script, const gali_figure_fact *fact, double most) {
    memcpy((char *)&bars->most[script] + fact->at, &most, sizeof most);
}

void gali_judge_bars_general(gali_judge_bars *bars) {
    enum {
        ANY = GALI_SET_ANY,
        STEADY = GALI_SET_STEADY,
        SUDDEN = GALI_SET_SUDDEN,
        WALK = GALI_SET_WALK,
        RUN = GALI_SET_RUN,
        FLAT = GALI_SET_FLAT,
        SLOPE = GALI_SET_SLOPE,
        STAIRS = GALI_SET_STAIRS
    };
    static const struct {
        const char *figure;
        int set;
        double most;
    } general[] = {
#define BAR(figure, set, most) {#figure, set, most},
#include "judge/bars.def"
#undef BAR
    };
    for (uint32_t s = 0; s < gali_judge_script_count; s++) {
        for (size_t t = 0; t < GALI_FIGURE_TABLES; t++) {
            for (size_t i = 0; i < gali_figure_tables[t].count; i++) {
                set_bar(bars, s, &gali_figure_tables[t].facts[i], INFINITY);
            }
        }
        for (size_t i = 0; i < sizeof general / sizeof *general; i++) {
            if ((general[i].set & (int)sets_of(&gali_judge_scripts[s])) == general[i].set) {
                set_bar(bars, s, gali_figure_named(general[i].figure, strlen(general[i].figure)),
                        general[i].most);
            }
        }
    }
}

static int32_t script_named(const char *name) {
    for (uint32_t s = 0; s < gali_judge_script_count; s++) {
        if (strcmp(gali_judge_scripts[s].name, name) == 0) {
            return (int32_t)s;
        }
    }
    return -1;
}

/* "figure most script", without the comment and the spaces around it. */
static gal_status read_line(gali_judge_bars *bars, const char *path, uint32_t number, char *line,
                            gal_error *error) {
    static const char *const space = " \t\r";
    size_t length = strcspn(line, space), digits;
    char *at = line + length + strspn(line + length, space), word[32] = "";
    const gali_figure_fact *fact = gali_figure_named(line, length);
    double most = INFINITY;
    if (!fact) {
        return gali_fail(error, GAL_BAD_DATA, "%s line %u: \"%.*s\" is no figure of gallop judge --json", path,
                         number, (int)(length < 40 ? length : 40), line);
    }
    digits = strcspn(at, space);
    memcpy(word, at, digits < sizeof word ? digits : sizeof word - 1);
    if (strcmp(word, "-") != 0 && !gali_options_number(word, &most)) {
        return gali_fail(error, GAL_BAD_DATA, "%s line %u: \"%s\": a number expected, or -", path, number,
                         word);
    }
    at += digits + strspn(at + digits, space);
    int32_t script = script_named(at);
    if (*at && script < 0) {
        return gali_fail(error, GAL_BAD_DATA, "%s line %u: \"%.40s\" is no script of gallop judge", path,
                         number, at);
    }
    for (uint32_t s = 0; s < gali_judge_script_count; s++) {
        if (script < 0 || (uint32_t)script == s) {
            set_bar(bars, s, fact, most);
        }
    }
    return GAL_OK;
}

static void trim(char *line) {
    line[strcspn(line, "#")] = 0;
    for (size_t n = strlen(line); n > 0 && strchr(" \t\r\n", line[n - 1]); n--) {
        line[n - 1] = 0;
    }
}

gal_status gali_judge_bars_read(gali_judge_bars *bars, const char *path, gal_error *error) {
    char line[256];
    FILE *file = gali_system_open(path, "r");
    gal_status status = file ? GAL_OK : gali_fail(error, GAL_IO, "%s: %s", path, strerror(errno));
    for (uint32_t number = 1; status == GAL_OK && fgets(line, sizeof line, file); number++) {
        if (strlen(line) + 1 == sizeof line) {
            status = gali_fail(error, GAL_BAD_DATA, "%s line %u: longer than %zu bytes", path, number,
                               sizeof line - 2);
            break;
        }
        trim(line);
        if (*line) {
            status = read_line(bars, path, number, line, error);
        }
    }
    if (status == GAL_OK && ferror(file)) {
        status = gali_fail(error, GAL_IO, "%s: %s", path, strerror(errno));
    }
    if (file) {
        fclose(file);
    }
    return status;
}

int gali_judge_is_missed(const gali_judge_verdict *verdict) {
    return !(fabs(verdict->got) <= verdict->most);
}

uint32_t gali_judge_verdicts(const gali_judged *judged, const gali_judge_bars *bars,
                             gali_judge_verdict *verdicts, uint32_t most) {
    uint32_t count = 0;
    gali_judge_bars general;
    gali_judge_bars_general(&general);
    for (uint32_t s = 0; s < gali_judge_script_count; s++) {
        for (size_t t = 0; gali_judged_has(judged, s) && t < GALI_FIGURE_TABLES; t++) {
            for (size_t i = 0; i < gali_figure_tables[t].count; i++) {
                const gali_figure_fact *fact = &gali_figure_tables[t].facts[i];
                gali_judge_verdict verdict = {s, fact, gali_figure_value(&judged->figures[s], fact),
                                              gali_figure_value(&bars->most[s], fact),
                                              gali_figure_value(&general.most[s], fact)};
                if (!isinf(verdict.most) && !isnan(verdict.got) && count < most) {
                    verdicts[count++] = verdict;
                }
            }
        }
    }
    return count;
}
