/* Time, for measuring how long something takes. */
#ifndef GALI_BASE_CLOCK_H
#define GALI_BASE_CLOCK_H

/* Seconds since some moment; never goes back where the system has such a clock. 0, always, where there is none.
 * Defined in system_posix.c and system_windows.c. */
double gali_clock_seconds(void);

/* Seconds that this thread has run, without what others took of its core meanwhile. Where the system does not say, or not
 * finely, as Windows: gali_clock_seconds. */
double gali_clock_thread_seconds(void);

#endif
