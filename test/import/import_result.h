/* An import of a folder in memory, and what came of it. */
#ifndef GALLOP_TEST_IMPORT_RESULT_H
#define GALLOP_TEST_IMPORT_RESULT_H

#include "base/memory.h"
#include "import/pfnn_folder.h"
#include "virtual_folder.h"

typedef struct result {
    gal_status status;
    gal_error error;
    void *image;
    size_t size;
    gali_pfnn_report report;
    gali_model model;
} result;

static inline result import_with(folder *f, gali_pfnn_desc desc) {
    result r = {0};
    gali_files files = folder_files(f);
    desc.weights = &files;
    r.status = gali_pfnn_import(&desc, &r.image, &r.size, &r.report, &r.error);
    if (r.status == GAL_OK) {
        assert_int_equal(gali_model_read(&r.model, r.image, r.size, NULL), GAL_OK);
    } else {
        assert_null(r.image);
        assert_int_equal(r.error.status, r.status);
    }
    return r;
}

static inline result import_good(folder *f, gali_pfnn_desc desc) {
    result r = import_with(f, desc);
    if (r.status != GAL_OK) {
        fail_msg("%s", r.error.message);
    }
    return r;
}

static inline void done(result *r, folder *f) {
    gali_release(NULL, r->image, r->size);
    if (f) {
        folder_free(f);
    }
}

#endif
