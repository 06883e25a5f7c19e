/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <time.h>

/* The thread sanitizer of clang 14 does not know this call, and would see an unlock without a lock.
 * So it becomes the one that it knows, which counts by the other clock. Loaded by tools/run-tsan.
 */
int pthread_mutex_clocklock (pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until);

int
pthread_mutex_clocklock (pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
  struct timespec now, real;
  clock_gettime (clock, &now);
  clock_gettime (CLOCK_REALTIME, &real);
  real.tv_sec += until->tv_sec - now.tv_sec;
  real.tv_nsec += until->tv_nsec - now.tv_nsec;
  real.tv_sec += real.tv_nsec >= 1000000000 ? 1 : real.tv_nsec < 0 ? -1 : 0;
  real.tv_nsec = (real.tv_nsec + 1000000000) % 1000000000;
  return pthread_mutex_timedlock (mutex, &real);
}
