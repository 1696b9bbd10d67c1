/*
 * A host's own threads under a crowd: the library makes none, it hands out indices. Here a pool of two: a helper
 * waits for work, the stepping thread takes part. The poses are those of one thread, bit for bit.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <gallop/crowd.h>

typedef struct pool {
    pthread_t helper;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    void (*task)(void *argument, uint32_t index); /* NULL: nothing to do */
    void *argument;
    uint32_t next, count, done;
    int stop;
} pool;

/* Takes the next index and does it, with the mutex let go meanwhile; returns 0 when there is none left. */
static int work_once(pool *p) {
    if (!p->task || p->next == p->count) {
        return 0;
    }
    void (*task)(void *, uint32_t) = p->task;
    void *argument = p->argument;
    uint32_t index = p->next++;
    pthread_mutex_unlock(&p->mutex);
    task(argument, index);
    pthread_mutex_lock(&p->mutex);
    p->done++;
    pthread_cond_broadcast(&p->changed);
    return 1;
}

static void *help(void *argument) {
    pool *p = argument;
    pthread_mutex_lock(&p->mutex);
    while (!p->stop) {
        if (!work_once(p)) {
            pthread_cond_wait(&p->changed, &p->mutex);
        }
    }
    pthread_mutex_unlock(&p->mutex);
    return NULL;
}

static void parallel_for(void *context, void (*task)(void *argument, uint32_t index), void *argument,
                         uint32_t count) {
    pool *p = context;
    pthread_mutex_lock(&p->mutex);
    p->task = task;
    p->argument = argument;
    p->next = p->done = 0;
    p->count = count;
    pthread_cond_broadcast(&p->changed);
    while (work_once(p)) {
    }
    while (p->done < count) {
        pthread_cond_wait(&p->changed, &p->mutex);
    }
    p->task = NULL;
    pthread_mutex_unlock(&p->mutex);
}

enum { COUNT = 40, FRAMES = 60 };

/* A crowd of COUNT who walk, each its own way. */
static gal_crowd *make_crowd(const gal_controller *controller, const gal_parallel *parallel) {
    gal_crowd_desc desc = {.controller = controller, .capacity = COUNT, .parallel = parallel};
    gal_crowd *crowd;
    if (gal_crowd_create(&crowd, &desc, NULL) != GAL_OK) {
        return NULL;
    }
    for (int i = 0; i < COUNT; i++) {
        gal_character id;
        gal_crowd_add(crowd, &(gal_spawn){.x = 100.0f * (float)i, .phase = (float)i}, &id);
        gal_crowd_set_input(crowd, id, &(gal_input){.move_y = 1, .camera_yaw = (float)i});
    }
    return crowd;
}

static int same_poses(const gal_crowd *a, const gal_crowd *b) {
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t joints;
        const gal_transform *pose = gal_crowd_pose(a, gal_crowd_at(a, i), &joints);
        if (memcmp(pose, gal_crowd_pose(b, gal_crowd_at(b, i), NULL), joints * sizeof *pose) != 0) {
            return 0;
        }
    }
    return 1;
}

static int compare(const gal_controller *controller, pool *p) {
    gal_crowd *alone = make_crowd(controller, NULL);
    gal_crowd *shared = make_crowd(controller, &(gal_parallel){parallel_for, p, 2});
    int same = alone && shared;
    for (int frame = 0; same && frame < FRAMES; frame++) {
        gal_crowd_step(alone);
        gal_crowd_step(shared);
        same = same_poses(alone, shared);
    }
    printf("%d characters, %d frames: %s\n", COUNT, FRAMES,
           same ? "the same bits on two threads" : "DIFFERENT");
    gal_crowd_destroy(alone);
    gal_crowd_destroy(shared);
    return same ? 0 : 1;
}

int main(int argc, char **argv) {
    gal_error error = {0};
    gal_controller *controller;
    if (gal_controller_open(&controller, argc > 1 ? argv[1] : "models/walker.gallop", NULL, &error) != GAL_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    pool p = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    if (pthread_create(&p.helper, NULL, help, &p) != 0) {
        fprintf(stderr, "no second thread\n");
        gal_controller_close(controller);
        return 1;
    }
    int status = compare(controller, &p);
    pthread_mutex_lock(&p.mutex);
    p.stop = 1;
    pthread_cond_broadcast(&p.changed);
    pthread_mutex_unlock(&p.mutex);
    pthread_join(p.helper, NULL);
    gal_controller_close(controller);
    return status;
}
