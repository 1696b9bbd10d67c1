/* Writing JSON: the caller opens and closes, this puts commas, quotes and indents. Non-finite numbers become null. */
#ifndef GALI_CLI_JSON_H
#define GALI_CLI_JSON_H

#include <stddef.h>
#include <stdio.h>

typedef struct gali_json {
    FILE *out;
    int depth;
    int started; /* whether something stands before the next value at this depth */
    int flat;    /* depth at which the lines are not broken any more; 0: never */
} gali_json;

/* key is NULL inside an array and at the top. */
void gali_json_open(gali_json *json, const char *key, char bracket); /* '{' or '[' */
void gali_json_close(gali_json *json, char bracket);                 /* '}' or ']' */
void gali_json_number(gali_json *json, const char *key, double value);
void gali_json_float(gali_json *json, const char *key, float value); /* with all its digits */
void gali_json_bool(gali_json *json, const char *key, int value);
void gali_json_text(gali_json *json, const char *key, const char *value);
void gali_json_text_n(gali_json *json, const char *key, const char *value, size_t length);

#endif
