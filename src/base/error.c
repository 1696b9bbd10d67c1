#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

static void make_text(char *message) {
    const size_t size = strlen(message);
    for (size_t i = 0; i < size; i++) {
        int control = (unsigned char)message[i] < 0x20 || message[i] == 0x7f;
        message[i] = control ? '?' : message[i];
    }
    for (size_t i = gali_utf8_check(message, size); i < size; i = gali_utf8_check(message, size)) {
        message[i] = '?';
    }
}

gal_status gali_fail(gal_error *error, gal_status status, const char *format, ...) {
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        error->status = status;
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
        make_text(error->message);
    }
    return status;
}

gal_status gali_fail_in_file(gal_error *error, const char *path, const gal_error *inner) {
    return gali_fail(error, inner->status, "%.100s: %.150s", path, inner->message);
}

const char *gal_status_text(gal_status status) {
    static const char *const texts[GAL_STATUS_COUNT] = {
        [GAL_OK] = "ok",
        [GAL_BAD_DATA] = "bad data",
        [GAL_BAD_ARGUMENT] = "bad argument",
        [GAL_IO] = "input/output error",
        [GAL_NO_MEMORY] = "out of memory",
        [GAL_FULL] = "full",
        [GAL_NOT_FOUND] = "not found",
        [GAL_UNSUPPORTED] = "unsupported",
    };
    return (unsigned)status < GAL_STATUS_COUNT ? texts[status] : "unknown status";
}

#define GALI_TEXT(token) #token
#define GALI_EXPANDED(token) GALI_TEXT(token)

const char *gal_version(void) {
    return GALI_EXPANDED(GAL_VERSION_MAJOR) "." GALI_EXPANDED(GAL_VERSION_MINOR) "." GALI_EXPANDED(
        GAL_VERSION_PATCH);
}
