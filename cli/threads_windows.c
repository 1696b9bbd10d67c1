/* The half for Windows. */
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include "threads.h"

#include <process.h>
#include <windows.h>

typedef struct share {
    volatile LONG next;
    uint32_t count;
    void (*task)(void *argument, uint32_t i);
    void *argument;
} share;

static unsigned __stdcall work(void *argument) {
    share *self = argument;
    uint32_t i;
    while ((i = (uint32_t)InterlockedIncrement(&self->next) - 1) < self->count) {
        self->task(self->argument, i);
    }
    return 0;
}

uint32_t gali_threads_cores(void) {
    DWORD_PTR own, all;
    uint32_t cores = 0;
    if (GetProcessAffinityMask(GetCurrentProcess(), &own, &all)) {
        for (; own != 0; own &= own - 1) {
            cores++;
        }
    }
    return cores < 1 ? 1 : cores;
}

void gali_threads_share(uint32_t threads, uint32_t count, void (*task)(void *argument, uint32_t i),
                        void *argument) {
    share self = {.count = count, .task = task, .argument = argument};
    HANDLE others[GALI_THREADS_MAX];
    uint32_t started = 0;
    while (started + 1 < threads && started + 1 < count &&
           (others[started] = (HANDLE)_beginthreadex(NULL, 0, work, &self, 0, NULL)) != NULL) {
        started++;
    }
    work(&self);
    for (uint32_t i = 0; i < started; i++) {
        WaitForSingleObject(others[i], INFINITE);
        CloseHandle(others[i]);
    }
}
