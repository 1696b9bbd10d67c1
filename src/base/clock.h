/* Time, for measuring how long something takes. */
#ifndef GALI_BASE_CLOCK_H
#define GALI_BASE_CLOCK_H

/* Seconds since some moment; never goes back where the system has such a clock. 0, always, where there is none.
 * Defined in system_posix.c and system_windows.c. */
double gali_clock_seconds(void);

#endif
