/* In place of log.c where jansson was not there when this was built: no log can be read. */
#include "base/error.h"
#include "compiler/log/device.h"
#include "compiler/log/log.h"

gal_status gali_log_read(gali_log *log, const char *path, gal_error *error) {
    *log = (gali_log){.count = 0};
    return gali_fail(error, GAL_UNSUPPORTED,
                     "%.100s: this build reads no logs of the tuner: that needs jansson", path);
}

void gali_log_task_of(gali_log_task *task, const char *text, const char *layer, const gali_target *target) {
    (void)text, (void)layer;
    *task = (gali_log_task){.target = target->name};
}

int gali_log_is_of(const gali_log_record *record, const gali_log_task *task) {
    (void)record, (void)task;
    return 0;
}

const gali_log_record *gali_log_best_of(const gali_log *log, const gali_log_task *task) {
    (void)log, (void)task;
    return NULL;
}

gal_status gali_device_read(gali_device *device, const char *path, const char *isa, gal_error *error) {
    (void)isa;
    *device = (gali_device){.levels = 0};
    return gali_fail(error, GAL_UNSUPPORTED,
                     "%.100s: this build reads no files of the probe: that needs jansson", path);
}

double gali_device_least(const gali_device *device, double multiply_adds, double bytes, double room,
                         int *by_memory) {
    (void)device, (void)multiply_adds, (void)bytes, (void)room;
    *by_memory = 0;
    return 0;
}

uint32_t gali_log_tilings(const gali_log *log, const gali_log_task *task, uint32_t room, uint32_t *rows,
                          gali_tiling *tilings) {
    (void)log, (void)task, (void)room, (void)rows, (void)tilings;
    return 0;
}

void gali_log_release(gali_log *log) {
    *log = (gali_log){.count = 0};
}

uint32_t gali_log_find(const gali_log *log, const gali_dense *dense, const gali_target *target, uint32_t each,
                       gali_arena *arena, const gali_log_record ***found) {
    (void)log, (void)dense, (void)target, (void)each, (void)arena;
    *found = NULL;
    return 0;
}
