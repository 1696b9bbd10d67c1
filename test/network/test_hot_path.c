/*
 * The hot path neither allocates nor enters the kernel: a child process allows itself nothing but exit (seccomp's
 * strict mode) and then runs networks and steps crowds; the linker counts its calls of the allocator
 * (--wrap, test/CMakeLists.txt). Both traps are seen to spring first.
 */
#define _GNU_SOURCE
#include "../motion/mannequin.h"
#include "graph.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

#if !defined(__linux__) || defined(SANITIZED)
int main(void) {
    return 77; /* a sanitizer makes calls of its own */
}
#else
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile long allocations; /* calls of the allocator's functions from the library and this test */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **memory, size_t alignment, size_t size);
void __real_free(void *memory);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t size);
void __wrap_free(void *memory);

void *__wrap_malloc(size_t size) {
    allocations++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    allocations++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size) {
    allocations++;
    return __real_realloc(memory, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    allocations++;
    return __real_aligned_alloc(alignment, size);
}

int __wrap_posix_memalign(void **memory, size_t alignment, size_t size) {
    allocations++;
    return __real_posix_memalign(memory, alignment, size);
}

void __wrap_free(void *memory) {
    allocations++;
    __real_free(memory);
}

enum { CHILD_GOOD = 0, CHILD_ALLOCATED = 1, CHILD_WRONG = 2, CHILD_CANNOT = 3 };

/* The only way out of strict mode: exit_group, which exit() uses, is not allowed. */
static void leave(int code) {
    syscall(SYS_exit, code);
}

/* Runs body in a child that may only exit; returns its exit code, or minus the signal that ended it. */
static int in_strict_mode(int (*body)(void *), void *argument) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT)) {
            _exit(CHILD_CANNOT);
        }
        long before = allocations;
        int code = body(argument);
        leave(allocations != before ? CHILD_ALLOCATED : code);
    }
    int status;
    assert_true(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static int call_the_kernel(void *unused) {
    (void)unused;
    return getppid() == 0;
}

static int allocate_and_free(void *unused) {
    (void)unused;
    void *volatile memory = malloc(16); /* or the compiler would see through the pair */
    free(memory);
    return CHILD_GOOD;
}

static void expect_good(int (*body)(void *), void *argument) {
    int code = in_strict_mode(body, argument);
    if (code == CHILD_CANNOT) {
        skip();
    }
    if (code == -SIGKILL) {
        fail_msg("a system call in the hot path");
    }
    if (code == CHILD_ALLOCATED) {
        fail_msg("an allocation in the hot path");
    }
    assert_int_equal(code, CHILD_GOOD);
}

static void both_traps_spring(void **unused) {
    (void)unused;
    int code = in_strict_mode(call_the_kernel, NULL);
    if (code == CHILD_CANNOT) {
        skip();
    }
    assert_int_equal(code, -SIGKILL);
    assert_int_equal(in_strict_mode(allocate_and_free, NULL), CHILD_ALLOCATED);
    long before = allocations;
    gal_controller_close(walker_open());
    assert_true(allocations > before + 2); /* the library's own calls count too */
}

/* ---- the network ---- */

typedef struct run {
    const gal_network *network;
    gal_network_batch batch;
    void *workspace;
    size_t size;
} run;

static int run_often(void *argument) {
    run *r = argument;
    for (uint32_t i = 0; i < 100; i++) {
        r->batch.count = i % 9;
        if (gal_network_run(r->network, &r->batch, r->workspace, r->size, NULL) != GAL_OK) {
            return CHILD_WRONG;
        }
    }
    return CHILD_GOOD;
}

static gal_network *open_form(const synthetic *s, gal_form form) {
    size_t size;
    unsigned char *bytes = synthetic_bytes(s, &size);
    gal_network_desc desc = {.form = form};
    gal_network *network;
    assert_int_equal(gal_network_open_memory(&network, bytes, size, &desc, NULL), GAL_OK);
    free(bytes);
    return network;
}

static void a_run_stays_in_user_space(void **unused) {
    (void)unused;
    static const synthetic_desc shapes[] = {
        {.gate = GAL_GATE_CUBIC,
         .experts = 4,
         .layers = 3,
         .width = {37, 64, 61, 53},
         .normalised = 1,
         .masked = 7,
         .activation = {GALI_ACTIVATION_ELU, GALI_ACTIVATION_RELU},
         .seed = 1},
        {.gate = GAL_GATE_CALLER,
         .experts = 8,
         .layers = 2,
         .width = {47, 43, 16},
         .normalised = 1,
         .activation = {GALI_ACTIVATION_ELU, GALI_ACTIVATION_ELU},
         .seed = 7},
    };
    for (size_t i = 0; i < 2 * sizeof shapes / sizeof *shapes; i++) {
        const synthetic_desc *shape = &shapes[i / 2];
        synthetic s = synthetic_make(shape);
        gal_network *network = open_form(&s, i % 2 ? GAL_FORM_BLEND : GAL_FORM_PER_EXPERT);
        static float x[8 * 64], y[8 * 64], gate[8 * 8];
        run r = {network, {.x = x, .y = y}, NULL, gal_network_workspace_size(network, 8)};
        r.batch.phase = shape->gate == GAL_GATE_CALLER ? NULL : gate;
        r.batch.blend = shape->gate == GAL_GATE_CALLER ? gate : NULL;
        r.workspace = aligned_alloc(64, (r.size + 63) & ~(size_t)63);
        expect_good(run_often, &r);
        free(r.workspace);
        gal_network_close(network);
        synthetic_free(&s);
    }
}

/* A network that ends in each kind of layer, with a gating network of several kinds. */
static void every_kind_stays_in_user_space(void **unused) {
    (void)unused;
    for (int kind = 0; kind < GALI_LAYER_KIND_COUNT; kind++) {
        const graph_desc desc = {GAL_GATE_NETWORK, 5, 31, 4, kind, GALI_ACTIVATION_SOFTMAX, (uint64_t)kind};
        graph *g = graph_make(&desc);
        gal_network *network = open_form(&g->s, GAL_FORM_PER_EXPERT);
        static float x[8 * 31];
        float *y = calloc(8 * (size_t)g->s.model.outputs, sizeof *y);
        run r = {network, {.x = x, .y = y}, NULL, gal_network_workspace_size(network, 8)};
        r.workspace = aligned_alloc(64, (r.size + 63) & ~(size_t)63);
        expect_good(run_often, &r);
        free(r.workspace);
        free(y);
        gal_network_close(network);
        graph_free(g);
    }
}

/* ---- the crowd ---- */

/* All that a game does in a frame, characters coming and going included. */
static int play(void *argument) {
    gal_crowd *crowd = argument;
    gal_transform local[64];
    for (uint32_t frame = 0; frame < 100; frame++) {
        gal_character id = gal_crowd_at(crowd, frame % gal_crowd_count(crowd));
        gal_input input = {
            .move_x = 0.3f, .move_y = 1, .run = (float)(frame % 2), .camera_yaw = 0.1f * (float)frame};
        gal_spawn spawn = {.x = (float)frame, .facing = 1};
        float fraction;
        if (gal_crowd_remove(crowd, id) || gal_crowd_add(crowd, &spawn, &id) ||
            gal_crowd_set_input(crowd, id, &input) || gal_crowd_set_foot_lock(crowd, id, (int)frame % 3)) {
            return CHILD_WRONG;
        }
        gal_crowd_step(crowd);
        gal_crowd_advance(crowd, 1.0f / 50, 0, &fraction);
        gal_character_state state;
        uint32_t joints;
        if (!gal_crowd_pose(crowd, id, &joints) || gal_crowd_pose_local(crowd, id, local) ||
            gal_crowd_state(crowd, id, &state) || !gal_crowd_trajectory(crowd, id, NULL, NULL, 0)) {
            return CHILD_WRONG;
        }
    }
    return CHILD_GOOD;
}

static void play_with(gal_controller *controller) {
    gal_crowd *crowd = crowd_of(controller, 5, hills);
    for (uint32_t i = 0; i < 5; i++) {
        crowd_add(crowd, (gal_spawn){.x = 50 * (float)i});
    }
    expect_good(play, crowd);
    gal_crowd_destroy(crowd);
    gal_controller_close(controller);
}

static void a_step_stays_in_user_space(void **unused) {
    (void)unused;
    mannequin_desc biped = {.wobble = 0.5f, .step_z = 1, .phase = 0.02f, .contact = 0.7f, .seed = 4};
    play_with(mannequin_open(&biped));
    play_with(walker_open());
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_traps_spring),
        cmocka_unit_test(a_run_stays_in_user_space),
        cmocka_unit_test(every_kind_stays_in_user_space),
        cmocka_unit_test(a_step_stays_in_user_space),
    };
    return cmocka_run_group_tests_name("hot path", tests, NULL, NULL);
}
#endif
