/*
 * Windows: loads the library as Python's ctypes does, by its path at run time, looks up each name of the command line
 * and calls what a first look at a model calls.
 *
 *     load_dll LIBRARY.dll MODEL.gallop NAME ...
 */
#include <stdio.h>
#include <string.h>
#include <windows.h>

#include <gallop/crowd.h>

/* GetProcAddress gives a pointer to some function; C has no cast from it that pedants like. */
static int find(HMODULE library, const char *name, void *function) {
    FARPROC found = GetProcAddress(library, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static int walk(HMODULE library, const char *model) {
    const char *(*version)(void);
    gal_status (*open)(gal_controller **, const char *, const gal_network_desc *, gal_error *);
    void (*close)(gal_controller *);
    gal_status (*create)(gal_crowd **, const gal_crowd_desc *, gal_error *);
    gal_status (*add)(gal_crowd *, const gal_spawn *, gal_character *);
    void (*step)(gal_crowd *);
    void (*destroy)(gal_crowd *);
    gal_controller *controller;
    gal_crowd *crowd;
    gal_character who;
    gal_error error = {.message = "no such function"};
    if (!find(library, "gal_version", &version) || !find(library, "gal_controller_open", &open) ||
        !find(library, "gal_controller_close", &close) || !find(library, "gal_crowd_create", &create) ||
        !find(library, "gal_crowd_add", &add) || !find(library, "gal_crowd_step", &step) ||
        !find(library, "gal_crowd_destroy", &destroy) || open(&controller, model, NULL, &error) != GAL_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 0;
    }
    int good = create(&crowd, &(gal_crowd_desc){.controller = controller, .capacity = 1}, &error) == GAL_OK;
    if (good) {
        good = add(crowd, &(gal_spawn){.x = 1}, &who) == GAL_OK;
        step(crowd);
        destroy(crowd);
    }
    close(controller);
    printf("version %s, a step %s\n", version(), good ? "made" : "failed");
    return good;
}

int main(int argc, char **argv) {
    HMODULE library = argc > 2 ? LoadLibraryA(argv[1]) : NULL;
    int missing = 0;
    if (!library) {
        fprintf(stderr, "the library cannot be loaded: %lu\n", GetLastError());
        return 1;
    }
    for (int i = 3; i < argc; i++) {
        void (*function)(void);
        if (!find(library, argv[i], &function)) {
            fprintf(stderr, "%s is not in it\n", argv[i]);
            missing++;
        }
    }
    return walk(library, argv[2]) && missing == 0 ? 0 : 1;
}
