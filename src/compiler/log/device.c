#include "compiler/log/device.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

enum { FILE_MOST = 1 << 24 };

/* Takes a fact of OpenCL devices by its name. */
static void take_of_opencl(gali_device *device, const char *name, json_int_t level, double value) {
    const struct {
        const char *name;
        json_int_t level;
        double *to;
    } facts[] = {{"registers", 0, &device->registers},   {"alus", 0, &device->alus},
                 {"cores", 0, &device->cores},           {"warp", 0, &device->warp},
                 {"local_rate", 0, &device->local_rate}, {"image_rate", 1, &device->image_rate}};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        if (strcmp(name, facts[i].name) == 0 && level == facts[i].level) {
            *facts[i].to = value;
        }
    }
}

/* Takes a fact into the device; what nobody has a use for is passed over. */
static void take(gali_device *device, const char *isa, const json_t *fact) {
    const char *name = json_string_value(json_object_get(fact, "name"));
    json_int_t level = json_integer_value(json_object_get(fact, "level"));
    const char *note = json_string_value(json_object_get(fact, "note"));
    double value = json_number_value(json_object_get(fact, "value"));
    if (!name || !isfinite(value) || value <= 0) {
        return;
    }
    take_of_opencl(device, name, level, value);
    if (strcmp(name, "peak_f32") == 0 && (!note || !*note || strcmp(note, isa) == 0)) {
        device->peak = 1e9 * value / 2;
    }
    if (level < 1 || level > GALI_DEVICE_LEVELS_MAX) {
        return;
    }
    if (strcmp(name, "buffer_level") == 0) {
        device->size[level - 1] = value;
    } else if (strcmp(name, "buffer_rate") == 0) {
        device->rate[level - 1] = 1e9 * value;
        device->levels = device->levels > level ? device->levels : (uint32_t)level;
    }
}

gal_status gali_device_parse(gali_device *device, const char *text, size_t size, const char *path,
                             const char *isa, gal_error *error) {
    json_error_t why;
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &why), *facts, *fact;
    const char *schema = json_string_value(json_object_get(root, "schema"));
    const char *name = json_string_value(json_object_get(root, "name"));
    size_t i;
    gal_status status = GAL_OK;
    facts = json_object_get(root, "facts");
    *device = (gali_device){.levels = 0};
    if (!root) {
        status = gali_fail(error, GAL_BAD_DATA, "%s, line %d: %.120s", path, why.line, why.text);
    } else if (!schema || strcmp(schema, "gallop-device 1") != 0 || !json_is_array(facts)) {
        status = gali_fail(error, GAL_BAD_DATA, "%s: no file of gallop probe (schema gallop-device 1)", path);
    } else {
        snprintf(device->name, sizeof device->name, "%s", name ? name : "");
        json_array_foreach(facts, i, fact) {
            take(device, isa, fact);
        }
        for (uint32_t level = 0; level < device->levels; level++) {
            int known = device->size[level] > 0 && level + 1 < device->levels;
            device->size[level] = known ? device->size[level] : (double)INFINITY;
        }
        if (!(device->peak > 0) || !device->levels || !(device->rate[device->levels - 1] > 0)) {
            status =
                gali_fail(error, GAL_BAD_DATA, "%s: no peak_f32 of %s, or no buffer_rate of memory", path, isa);
        }
    }
    json_decref(root);
    return status;
}

gal_status gali_device_read(gali_device *device, const char *path, const char *isa, gal_error *error) {
    void *bytes;
    size_t size;
    gal_status status = gali_file_read(path, FILE_MOST, NULL, &bytes, &size, error);
    if (status == GAL_OK) {
        status = gali_device_parse(device, bytes, size, path, isa, error);
        gali_release(NULL, bytes, size);
    }
    return status;
}

double gali_device_least(const gali_device *device, double multiply_adds, double bytes, double room,
                         int *by_memory) {
    uint32_t level = 0;
    while (level + 1 < device->levels && (device->size[level] < room || !(device->rate[level] > 0))) {
        level++;
    }
    double arithmetic = multiply_adds / device->peak, memory = bytes / device->rate[level];
    *by_memory = memory > arithmetic;
    return *by_memory ? memory : arithmetic;
}
