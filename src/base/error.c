#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

gal_status gali_fail(gal_error *error, gal_status status, const char *format, ...) {
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        error->status = status;
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
    }
    return status;
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
