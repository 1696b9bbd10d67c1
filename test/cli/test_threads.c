/* The command's threads: what is shared out is done once each, at once, and the judge says the same on any number of them. */
#define _GNU_SOURCE
#include "threads.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "command_line.h"
#include "judge/stages.h"
#include "motion/controller.h"

enum { PARTS = 1000 };

static void count(void *argument, uint32_t i) {
    ((uint32_t *)argument)[i]++;
}

static void each_part_is_done_once(void **unused) {
    (void)unused;
    static const uint32_t threads[] = {1, 2, 7, GALI_THREADS_MAX};
    for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
        uint32_t done[PARTS] = {0};
        gali_threads_share(threads[t], PARTS, count, done);
        for (uint32_t i = 0; i < PARTS; i++) {
            assert_int_equal(done[i], 1);
        }
        gali_threads_share(threads[t], 1, count, done); /* fewer than threads */
        gali_threads_share(threads[t], 0, count, done);
        assert_int_equal(done[0], 2);
    }
}

typedef struct order {
    uint32_t seen[PARTS], count;
} order;

static void keep_order(void *argument, uint32_t i) {
    order *self = argument;
    self->seen[self->count++] = i;
}

static void one_thread_takes_them_in_order(void **unused) {
    (void)unused;
    order kept = {.count = 0};
    gali_threads_share(1, PARTS, keep_order, &kept);
    for (uint32_t i = 0; i < PARTS; i++) {
        assert_int_equal(kept.seen[i], i);
    }
}

typedef struct meeting {
    pthread_mutex_t mutex;
    pthread_cond_t came;
    uint32_t here, met;
} meeting;

/* Waits until all four are here; gives up after some seconds. */
static void meet(void *argument, uint32_t i) {
    (void)i;
    meeting *self = argument;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 20;
    pthread_mutex_lock(&self->mutex);
    self->here++;
    pthread_cond_broadcast(&self->came);
    int late = 0;
    while (self->here < 4 && !late) {
        late = pthread_cond_timedwait(&self->came, &self->mutex, &until) != 0;
    }
    self->met += self->here >= 4 ? 1u : 0u;
    pthread_mutex_unlock(&self->mutex);
}

static void parts_run_at_once(void **unused) {
    (void)unused;
    meeting one = {.mutex = PTHREAD_MUTEX_INITIALIZER, .came = PTHREAD_COND_INITIALIZER};
    gali_threads_share(4, 4, meet, &one);
    assert_int_equal(one.met, 4);
}

static void cores_are_those_of_the_process(void **unused) {
    (void)unused;
    cpu_set_t all, one;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    assert_int_equal(gali_threads_cores(),
                     CPU_COUNT(&all) < GALI_THREADS_MAX ? CPU_COUNT(&all) : GALI_THREADS_MAX);
    CPU_ZERO(&one);
    for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++) {
        if (CPU_ISSET(i, &all)) {
            CPU_SET(i, &one);
        }
    }
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(gali_threads_cores(), 1);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

/* Takes a line's rest from `word` on out of a text: what is timed. */
static void leave_out(char *text, const char *word) {
    char *from = strstr(text, word), *to = from ? strchr(from, '\n') : NULL;
    assert_non_null(to);
    memmove(from, to, strlen(to) + 1);
}

/* Figures, their order, and the page to the byte. */
static void the_judge_says_the_same(void **unused) {
    (void)unused;
    enum { SIZE = 1 << 23 };
    static char said_by[2][1 << 17], page[2][SIZE];
    for (int t = 0; t < 2; t++) {
        const said *s =
            gallop_here("judge %s/models/walker-small.gallop --seconds 5 --json --threads %d --html %s",
                        GALLOP_SOURCE_DIR, t ? 4 : 1, place_of("page.html"));
        assert_true(s->status == 0 || s->status == 1);
        strcpy(said_by[t], s->out);
        leave_out(said_by[t], "\"step_us\"");
        slurp(place_of("page.html"), page[t], SIZE);
        assert_true(strlen(said_by[t]) > 10000 && strlen(page[t]) > 100000 && strlen(page[t]) < SIZE - 1);
    }
    assert_string_equal(said_by[0], said_by[1]);
    assert_string_equal(page[0], page[1]);
}

/* Of several stages that cannot be run the first is told, whoever came to it first. */
static void the_first_error_is_told(void **unused) {
    (void)unused;
    gal_controller *controller;
    gal_error error = {0};
    assert_int_equal(
        gal_controller_open(&controller, GALLOP_SOURCE_DIR "/models/walker-small.gallop", NULL, &error),
        GAL_OK);
    gali_judge_stage stages[3];
    gali_judge_stage *all[] = {&stages[0], &stages[1], &stages[2]};
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(
            gali_judge_stage_make(&stages[i], controller, 1, GALI_GROUND_FLAT, GALI_JUDGE_FREE, &error),
            GAL_OK);
        stages[i].interval = i > 0 ? 20 + i : 1;
    }
    assert_int_equal(gali_judge_stages_run(all, 3, 3, &error), GAL_BAD_DATA);
    assert_non_null(strstr(error.message, "21 frames an evaluation"));
    for (uint32_t i = 0; i < 3; i++) {
        gali_judge_stage_release(&stages[i]);
    }
    gal_controller_close(controller);
}

/* All threads of it, at once. */
static void an_interrupt_ends_the_judge(void **unused) {
    (void)unused;
    pid_t child = fork();
    if (child == 0) {
        signal(SIGINT, SIG_DFL);
        execl(GALLOP_COMMAND, "gallop", "judge", GALLOP_SOURCE_DIR "/models/walker.gallop", "--seconds", "600",
              "--threads", "4", (char *)NULL);
        _exit(127);
    }
    assert_true(child > 0);
    nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    kill(child, SIGINT);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_part_is_done_once),
        cmocka_unit_test(one_thread_takes_them_in_order),
        cmocka_unit_test(parts_run_at_once),
        cmocka_unit_test(cores_are_those_of_the_process),
        cmocka_unit_test(the_first_error_is_told),
        cmocka_unit_test_setup_teardown(the_judge_says_the_same, place_make, place_remove),
        cmocka_unit_test(an_interrupt_ends_the_judge),
    };
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
