#include "json.h"

#include <math.h>
#include <string.h>

static void quote(FILE *out, const char *text, size_t length) {
    fputc('"', out);
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (byte == '"' || byte == '\\') {
            fprintf(out, "\\%c", byte);
        } else if (byte < 32 || byte == '<') { /* '<' too: the text may stand inside a <script> */
            fprintf(out, "\\u%04x", byte);
        } else {
            fputc(byte, out);
        }
    }
    fputc('"', out);
}

static void begin(gali_json *json, const char *key) {
    int flat = json->flat > 0 && json->depth >= json->flat;
    if (json->started) {
        fputs(flat ? ", " : ",", json->out);
    }
    if (json->depth > 0 && !flat) {
        fprintf(json->out, "\n%*s", 2 * json->depth, "");
    }
    if (key) {
        quote(json->out, key, strlen(key));
        fputs(": ", json->out);
    }
    json->started = 1;
}

void gali_json_open(gali_json *json, const char *key, char bracket) {
    begin(json, key);
    fputc(bracket, json->out);
    json->depth++;
    json->started = 0;
}

void gali_json_close(gali_json *json, char bracket) {
    int flat = json->flat > 0 && json->depth >= json->flat;
    json->depth--;
    if (json->started && !flat) {
        fprintf(json->out, "\n%*s", 2 * json->depth, "");
    }
    fputc(bracket, json->out);
    json->started = 1;
    if (json->depth == 0) {
        fputc('\n', json->out);
    }
}

void gali_json_number(gali_json *json, const char *key, double value) {
    begin(json, key);
    if (!isfinite(value)) {
        fputs("null", json->out);
    } else {
        fprintf(json->out, value == floor(value) && fabs(value) < 1e15 ? "%.0f" : "%.7g", value);
    }
}

void gali_json_float(gali_json *json, const char *key, float value) {
    begin(json, key);
    if (!isfinite(value)) {
        fputs("null", json->out);
    } else {
        fprintf(json->out, "%.9g", (double)value);
    }
}

void gali_json_bool(gali_json *json, const char *key, int value) {
    begin(json, key);
    fputs(value ? "true" : "false", json->out);
}

void gali_json_text_n(gali_json *json, const char *key, const char *value, size_t length) {
    begin(json, key);
    quote(json->out, value, length);
}

void gali_json_text(gali_json *json, const char *key, const char *value) {
    gali_json_text_n(json, key, value, strlen(value));
}
