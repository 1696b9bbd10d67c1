#define _GNU_SOURCE /* getpid */
#include "onnx/built_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/system.h"
#include "compiler/emit/program.h"
#include "directory.h"
#include "network/model_layout.h"

enum { PATH_BYTES = 4096, HASH_LETTERS = 32 };
enum { WEIGHTS, OBJECT };

/* A build in its folder, and where what it makes ends up: there, or in the cache. */
typedef struct paths {
    char folder[PATH_BYTES], header[PATH_BYTES], source[PATH_BYTES], messages[PATH_BYTES];
    char made[2][PATH_BYTES], kept[2][PATH_BYTES]; /* the weights, the object, which comes last */
} paths;

/* ---- the hash: two sums of 64 bits over words of eight bytes, which only has to tell models apart ---- */

typedef struct hash {
    uint64_t sum[2];
} hash;

static void hash_bytes(hash *h, const void *bytes, size_t size) {
    static const uint64_t factor[2] = {0x9e3779b97f4a7c15u, 0xc2b2ae3d27d4eb4fu};
    for (size_t at = 0; at <= size; at += 8) { /* one more than there are: the length, too, tells them apart */
        uint64_t word = size;
        memcpy(&word, (const char *)bytes + at, size - at < 8 ? size - at : 8);
        for (int i = 0; i < 2; i++) {
            h->sum[i] = (h->sum[i] ^ word) * factor[i];
            h->sum[i] ^= h->sum[i] >> 29;
        }
    }
}

static void hash_text(hash *h, const char *text) {
    hash_bytes(h, text ? text : "", text ? strlen(text) + 1 : 0);
}

static gal_status hash_file(hash *h, const char *path, gal_error *error) {
    void *bytes = NULL;
    size_t size = 0;
    gal_status status = gali_file_read(path, GALI_FILE_MAX, NULL, &bytes, &size, error);
    if (status == GAL_OK) {
        hash_bytes(h, bytes, size);
    }
    gali_release(NULL, bytes, size);
    return status;
}

/* This program: its version, and where the system shows it, its bytes, since a version has many builds. */
static void hash_program(hash *h) {
    gal_error ignored;
    hash_text(h, gal_version());
    hash_file(h, "/proc/self/exe", &ignored);
}

/* "/HASH" */
static gal_status find_key(char key[HASH_LETTERS + 2], const gali_built_desc *desc, const gali_target *target,
                           const char *compiler, gal_error *error) {
    hash h = {{1, 2}};
    hash_program(&h);
    hash_text(&h, desc->sizes);
    hash_text(&h, target->name);
    hash_text(&h, compiler);
    gal_status status = hash_file(&h, desc->path, error);
    const char *const files[] = {desc->external, desc->log, desc->profile};
    for (size_t i = 0; status == GAL_OK && i < sizeof files / sizeof files[0]; i++) {
        hash_text(&h, files[i] ? "given" : NULL); /* so that no file stands for another */
        status = files[i] ? hash_file(&h, files[i], error) : GAL_OK;
    }
    snprintf(key, HASH_LETTERS + 2, "/%016llx%016llx", (unsigned long long)h.sum[0],
             (unsigned long long)h.sum[1]);
    return status;
}

/* ---- places ---- */

static gal_status find_cache(char folder[PATH_BYTES], gal_error *error) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int size = 0;
    if (cache && *cache) {
        size = snprintf(folder, PATH_BYTES, "%s/gallop", cache);
    } else if (home && *home) {
        size = snprintf(folder, PATH_BYTES, "%s/.cache/gallop", home);
    } else {
        return gali_fail(error, GAL_IO,
                         "no cache: neither XDG_CACHE_HOME nor HOME is set (--keep names a folder)");
    }
    return size < PATH_BYTES ? gali_directory_make(folder, error)
                             : gali_fail(error, GAL_IO, "the cache's path is too long");
}

static gal_status join(char path[PATH_BYTES], const char *folder, const char *stem, const char *ending,
                       gal_error *error) {
    return snprintf(path, PATH_BYTES, "%s%s%s", folder, stem, ending) < PATH_BYTES
               ? GAL_OK
               : gali_fail(error, GAL_IO, "%.64s...: the path is too long", folder);
}

/* key: of the cache, whose builds have folders of their own process; NULL: all stays in the folder. */
static gal_status name_files(paths *p, const char *folder, const char *key, gal_error *error) {
    char own[HASH_LETTERS + 32] = "";
    if (key) {
        snprintf(own, sizeof own, "%s-%ld", key, (long)getpid());
    }
    gal_status status = join(p->folder, folder, own, "", error);
    const struct {
        char *path;
        const char *folder, *stem, *ending;
    } files[] = {{p->header, p->folder, "/model", ".h"},
                 {p->source, p->folder, "/model", ".c"},
                 {p->messages, p->folder, "/model", ".txt"},
                 {p->made[WEIGHTS], p->folder, "/model", ".weights"},
                 {p->made[OBJECT], p->folder, "/model", ".so"},
                 {p->kept[WEIGHTS], folder, key ? key : "/model", ".weights"},
                 {p->kept[OBJECT], folder, key ? key : "/model", ".so"}};
    for (size_t i = 0; status == GAL_OK && i < sizeof files / sizeof files[0]; i++) {
        status = join(files[i].path, files[i].folder, files[i].stem, files[i].ending, error);
    }
    return status;
}

/* What is kept must not be what was read. */
static gal_status spare_inputs(const paths *p, const gali_built_desc *desc, gal_error *error) {
    const char *const written[] = {p->header, p->source, p->messages, p->kept[WEIGHTS], p->kept[OBJECT]};
    const char *const read[] = {desc->path, desc->external, desc->log, desc->profile};
    for (size_t i = 0; i < sizeof written / sizeof written[0]; i++) {
        if (gali_file_replaces(written[i], read, sizeof read / sizeof read[0])) {
            return gali_fail(error, GAL_BAD_ARGUMENT, "%.200s: a file that is read, which would be lost",
                             written[i]);
        }
    }
    return GAL_OK;
}

/* ---- building ---- */

static gal_status write_parts(const paths *p, const gali_text *parts, gal_error *error) {
    const char *const files[GAL_COMPILED_PART_COUNT] = {[GAL_COMPILED_HEADER] = p->header,
                                                        [GAL_COMPILED_SOURCE] = p->source,
                                                        [GAL_COMPILED_WEIGHTS] = p->made[WEIGHTS]};
    gal_status status = gali_directory_make(p->folder, error);
    for (int part = 0; status == GAL_OK && part < GAL_COMPILED_PART_COUNT; part++) {
        if (files[part]) {
            status = gali_file_write(files[part], parts[part].bytes ? parts[part].bytes : "", parts[part].size,
                                     error);
        }
    }
    return status;
}

static gal_status emit(gali_onnx_model *model, const gali_built_desc *desc, const gali_target *target,
                       const paths *p, gal_error *error) {
    gali_text parts[GAL_COMPILED_PART_COUNT] = {{0}};
    gal_error why = {0};
    const char *slash = strrchr(desc->path, '/');
    gali_emit_desc how = {"model", slash ? slash + 1 : desc->path, 1};
    uint32_t groups = 0, logged = 0;
    model->target = model->program ? model->target : target;
    gal_status status = model->program ? GAL_OK : gali_onnx_model_program(model, &why);
    if (status == GAL_OK) {
        model->program->target = target;
        status = desc->log ? gali_onnx_model_use_log(model, desc->log, &groups, &logged, &why) : GAL_OK;
    }
    if (status == GAL_OK && desc->log) {
        fprintf(stderr, "%u of %u groups with sums in tiles by schedules of %s\n", logged, groups, desc->log);
    }
    status = status == GAL_OK ? gali_emit_program(model->program, &how, parts, &why) : status;
    status = status == GAL_OK ? write_parts(p, parts, error) : gali_fail_in_file(error, desc->path, &why);
    for (int part = 0; part < GAL_COMPILED_PART_COUNT; part++) {
        gali_text_release(&parts[part]);
    }
    return status;
}

static gal_status build(const paths *p, const char *compiler, const gali_target *target, gal_error *error) {
    char flags[GALI_COMPILER_BYTES];
    gali_object_files files = {p->source, p->made[OBJECT], p->messages};
    snprintf(flags, sizeof flags, "-O3 %s", target->flags);
    return gali_object_build(compiler, flags, &files, error);
}

/* The weights first: an object that is there is whole. */
static gal_status put_in_place(const paths *p, gal_error *error) {
    for (int i = 0; i < 2; i++) {
        if (!gali_system_replace(p->made[i], p->kept[i])) {
            return gali_fail(error, GAL_IO, "%s: cannot be put in its place", p->kept[i]);
        }
    }
    return GAL_OK;
}

static gal_status make(gali_onnx_model *model, const gali_built_desc *desc, const gali_target *target,
                       const char *compiler, const paths *p, gal_error *error) {
    fprintf(stderr, "gallop run: compiling %s with %s\n", desc->path, compiler);
    gal_status status = emit(model, desc, target, p, error);
    status = status == GAL_OK ? build(p, compiler, target, error) : status;
    gali_system_remove(p->messages);
    if (!desc->keep) {
        status = status == GAL_OK ? put_in_place(p, error) : status;
        gali_system_remove(p->header);
        gali_system_remove(p->source);
        gali_system_remove(p->made[WEIGHTS]);
        gali_system_remove(p->made[OBJECT]);
        gali_system_remove(p->folder);
    }
    return status;
}

static gal_status load(gali_built_model *built, const paths *p, gal_error *error) {
    gal_status status = gali_object_open(&built->object, p->kept[OBJECT], error);
    if (status == GAL_OK) {
        status =
            gali_file_read(p->kept[WEIGHTS], GALI_FILE_MAX, NULL, &built->weights, &built->weights_size, error);
    }
    void *workspace = status == GAL_OK ? gali_object_find(&built->object, "model_call_workspace") : NULL;
    void *call = status == GAL_OK ? gali_object_find(&built->object, "model_call") : NULL;
    if (status == GAL_OK && (!workspace || !call)) {
        status = gali_fail(error, GAL_IO, "%s: not a library of this program", p->kept[OBJECT]);
    }
    memcpy(&built->workspace, &workspace, sizeof workspace); /* ISO C has no cast of an object to a function */
    memcpy(&built->call, &call, sizeof call);
    return status;
}

gal_status gali_built_model_open(gali_built_model *built, gali_onnx_model *model, const gali_built_desc *desc,
                                 gal_error *error) {
    char compiler[GALI_COMPILER_BYTES], key[HASH_LETTERS + 2], folder[PATH_BYTES];
    paths p;
    const gali_target *target = gali_target_find(desc->target, error);
    gal_status status = target ? gali_object_compiler(compiler, error) : GAL_BAD_ARGUMENT;
    if (status == GAL_OK && desc->keep) {
        status = join(folder, desc->keep, "", "", error);
    } else if (status == GAL_OK) {
        status = find_key(key, desc, target, compiler, error);
        status = status == GAL_OK ? find_cache(folder, error) : status;
    }
    status = status == GAL_OK ? name_files(&p, folder, desc->keep ? NULL : key, error) : status;
    status = status == GAL_OK && desc->keep ? spare_inputs(&p, desc, error) : status;
    if (status == GAL_OK && (desc->keep || gali_system_path_kind(p.kept[OBJECT]) != GALI_PATH_FILE)) {
        status = make(model, desc, target, compiler, &p, error);
    }
    return status == GAL_OK ? load(built, &p, error) : status;
}

void gali_built_model_release(gali_built_model *built) {
    gali_object_release(&built->object);
    gali_release(NULL, built->weights, built->weights_size);
    *built = (gali_built_model){.weights = NULL};
}
