/*
 * A hostile allocator: the n-th allocation fails, for each n. Whatever is opened then says GAL_NO_MEMORY and gives
 * back all it took, with the sizes it took it in.
 */
#include "motion/mannequin.h"

enum { BLOCKS_MOST = 64 };

typedef struct hostile {
    int fail_at; /* the allocation that fails; -1: none */
    int calls, blocks;
    struct {
        void *memory;
        size_t size, alignment;
    } block[BLOCKS_MOST];
} hostile;

static void *hostile_allocate(void *context, size_t size, size_t alignment) {
    hostile *h = context;
    assert_true(alignment >= 64 && (alignment & (alignment - 1)) == 0 && size > 0);
    if (h->calls++ == h->fail_at) {
        return NULL;
    }
    void *memory = aligned_alloc(alignment, (size + alignment - 1) & ~(alignment - 1));
    assert_non_null(memory);
    memset(memory, 0xd5, size); /* nothing comes zeroed */
    assert_true(h->blocks < BLOCKS_MOST);
    h->block[h->blocks].memory = memory;
    h->block[h->blocks].size = size;
    h->block[h->blocks++].alignment = alignment;
    return memory;
}

static void hostile_release(void *context, void *memory, size_t size, size_t alignment) {
    hostile *h = context;
    int i = 0;
    while (i < h->blocks && h->block[i].memory != memory) {
        i++;
    }
    assert_true(i < h->blocks && h->block[i].size == size && h->block[i].alignment == alignment);
    free(memory);
    h->block[i] = h->block[--h->blocks];
}

/* What is opened: returns the status and closes again what it got. */
typedef gal_status opener(const gal_allocator *allocator, void *argument, gal_error *error);

typedef struct file {
    const char *path;
    unsigned char *bytes;
    size_t size;
} file;

static gal_status open_network_file(const gal_allocator *allocator, void *argument, gal_error *error) {
    const file *f = argument;
    gal_network_desc desc = {.allocator = allocator};
    gal_network *network = (gal_network *)(void *)error;
    gal_status status = gal_network_open(&network, f->path, &desc, error);
    assert_true((network != NULL) == (status == GAL_OK));
    gal_network_close(network);
    return status;
}

static gal_status open_network_memory(const gal_allocator *allocator, void *argument, gal_error *error) {
    const file *f = argument;
    gal_network_desc desc = {.allocator = allocator};
    gal_network *network = (gal_network *)(void *)error;
    gal_status status = gal_network_open_memory(&network, f->bytes, f->size, &desc, error);
    assert_true((network != NULL) == (status == GAL_OK));
    gal_network_close(network);
    return status;
}

static gal_status open_network_measured(const gal_allocator *allocator, void *argument, gal_error *error) {
    const file *f = argument;
    gal_network_desc desc = {.allocator = allocator, .plan = GAL_PLAN_MEASURE};
    gal_network *network = (gal_network *)(void *)error;
    gal_status status = gal_network_open_memory(&network, f->bytes, f->size, &desc, error);
    assert_true((network != NULL) == (status == GAL_OK));
    gal_network_close(network);
    return status;
}

static gal_status open_controller_file(const gal_allocator *allocator, void *argument, gal_error *error) {
    const file *f = argument;
    gal_network_desc desc = {.allocator = allocator};
    gal_controller *controller = (gal_controller *)(void *)error;
    gal_status status = gal_controller_open(&controller, f->path, &desc, error);
    assert_true((controller != NULL) == (status == GAL_OK));
    gal_controller_close(controller);
    return status;
}

static gal_status open_controller_memory(const gal_allocator *allocator, void *argument, gal_error *error) {
    const file *f = argument;
    gal_network_desc desc = {.allocator = allocator};
    gal_controller *controller = (gal_controller *)(void *)error;
    gal_status status = gal_controller_open_memory(&controller, f->bytes, f->size, &desc, error);
    assert_true((controller != NULL) == (status == GAL_OK));
    gal_controller_close(controller);
    return status;
}

static gal_status create_crowd(const gal_allocator *allocator, void *argument, gal_error *error) {
    gal_crowd_desc desc = {.controller = argument, .capacity = 12, .allocator = allocator};
    gal_crowd *crowd = (gal_crowd *)(void *)error;
    gal_status status = gal_crowd_create(&crowd, &desc, error);
    assert_true((crowd != NULL) == (status == GAL_OK));
    if (crowd) {
        crowd_add(crowd, (gal_spawn){0});
        gal_crowd_step(crowd);
    }
    gal_crowd_destroy(crowd);
    return status;
}

/* Fails each allocation once; least says how many there are to fail. */
static void starve(opener *open, void *argument, int least) {
    gal_status status = GAL_NO_MEMORY;
    int n = 0;
    for (; status != GAL_OK; n++) {
        hostile h = {.fail_at = n};
        gal_allocator allocator = {hostile_allocate, hostile_release, &h};
        gal_error error = {0};
        status = open(&allocator, argument, &error);
        assert_int_equal(h.blocks, 0);
        assert_true(n < BLOCKS_MOST);
        if (status != GAL_OK) {
            assert_int_equal(status, GAL_NO_MEMORY);
            assert_int_equal(error.status, GAL_NO_MEMORY);
            assert_non_null(strstr(error.message, "memory"));
        }
    }
    assert_true(n - 1 >= least);
}

static file read_walker(void) {
    file f = {.path = GALLOP_SOURCE_DIR "/models/walker.gallop"};
    FILE *stream = fopen(f.path, "rb");
    assert_non_null(stream);
    fseek(stream, 0, SEEK_END);
    f.size = (size_t)ftell(stream);
    rewind(stream);
    f.bytes = malloc(f.size);
    assert_int_equal(fread(f.bytes, 1, f.size, stream), f.size);
    fclose(stream);
    return f;
}

static void whatever_is_opened_survives_any_failed_allocation(void **unused) {
    (void)unused;
    file f = read_walker();
    starve(open_network_file, &f, 2);
    starve(open_network_memory, &f, 1);
    starve(open_network_measured, &f, 2);
    starve(open_controller_file, &f, 4);
    starve(open_controller_memory, &f, 3);
    gal_controller *controller = walker_open();
    starve(create_crowd, controller, 1);
    gal_controller_close(controller);
    free(f.bytes);
}

/* A bad file gives everything back as well: a contract that does not fit the network, weights that overflow. */
static void bad_data_leaks_nothing(void **unused) {
    (void)unused;
    mannequin_desc desc = {.seed = 1};
    for (int kind = 0; kind < 3; kind++) {
        synthetic s = mannequin_model(&desc);
        char *text = (char *)(uintptr_t)s.model.contract;
        if (kind == 0) {
            memcpy(strstr(text, "constant 0.5 3"), "constant 0.5 4", 14);
        } else if (kind == 1) {
            memcpy(strstr(text, "joint LeftKnee LeftHip"), "joint LeftKnee LeftHop", 22);
        } else {
            ((float *)(uintptr_t)s.model.output_std)[3] = 3e38f;
            mannequin_scale_layer(&s.model.layers[1], 1e6f);
            ((float *)(uintptr_t)s.model.layers[1].biases)[3] = 3e38f;
        }
        file f = {0};
        f.bytes = synthetic_bytes(&s, &f.size);
        hostile h = {.fail_at = -1};
        gal_allocator allocator = {hostile_allocate, hostile_release, &h};
        gal_error error = {0};
        assert_int_equal(open_controller_memory(&allocator, &f, &error), GAL_BAD_DATA);
        assert_true(h.calls > 0);
        assert_int_equal(h.blocks, 0);
        free(f.bytes);
        synthetic_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_is_opened_survives_any_failed_allocation),
        cmocka_unit_test(bad_data_leaks_nothing),
    };
    return cmocka_run_group_tests_name("hostile allocator", tests, NULL, NULL);
}
