/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/metrics-private.h"

#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* Places of /proc/self/stat, of those after the name of the program; see proc(5). */
enum
{
  STAT_USER_TIME = 11,
  STAT_SYSTEM_TIME = 12,
  STAT_THREADS = 17,
  STAT_BEGIN = 19,
  STAT_VIRTUAL = 20,
  STAT_RESIDENT = 21,
  STAT_N = 22,
};

static GStrv
read_stat (void)
{
  g_autofree char *text = NULL;
  if (!g_file_get_contents ("/proc/self/stat", &text, NULL, NULL))
    return NULL;
  /* The name may hold anything, a parenthesis too. */
  const char *end = strrchr (text, ')');
  g_auto (GStrv) words = end != NULL ? g_strsplit (g_strchug ((char *)end + 1), " ", -1) : NULL;
  return words != NULL && g_strv_length (words) >= STAT_N ? g_steal_pointer (&words) : NULL;
}

static gdouble
get (GStrv stat, guint place)
{
  return g_ascii_strtod (stat[place], NULL);
}

/* Seconds since the epoch at which the machine was started. A service may not see /proc/stat, which
 * says the same. */
static gdouble
find_boot (void)
{
  struct timespec up = { 0 };
  clock_gettime (CLOCK_BOOTTIME, &up);
  return (gdouble)g_get_real_time () / 1e6 - (gdouble)up.tv_sec - (gdouble)up.tv_nsec / 1e9;
}

static guint
count_descriptors (void)
{
  guint n = 0;
  g_autoptr (GDir) folder = g_dir_open ("/proc/self/fd", 0, NULL);
  while (folder != NULL && g_dir_read_name (folder) != NULL)
    n++;
  return n > 0 ? n - 1 : 0; /* that of the folder */
}

static void
write_descriptors (GString *text)
{
  struct rlimit limit = { 0 };
  tall_metric_text_add_family (text, "process_open_fds", TALL_GAUGE, "Open file descriptors.",
                               count_descriptors ());
  if (getrlimit (RLIMIT_NOFILE, &limit) == 0)
    tall_metric_text_add_family (text, "process_max_fds", TALL_GAUGE,
                                 "File descriptors that may be open.", (gdouble)limit.rlim_cur);
}

/* Names are those of Prometheus's own libraries. */
void
tall_metrics_write_process (GString *text)
{
  g_auto (GStrv) stat = read_stat ();
  gdouble ticks = (gdouble)sysconf (_SC_CLK_TCK);
  write_descriptors (text);
  if (stat == NULL)
    return;
  tall_metric_text_add_family (text, "process_cpu_seconds_total", TALL_COUNTER,
                               "Time on processors, of the program and of the system for it.",
                               (get (stat, STAT_USER_TIME) + get (stat, STAT_SYSTEM_TIME)) / ticks);
  tall_metric_text_add_family (text, "process_start_time_seconds", TALL_GAUGE,
                               "When the process began, since the epoch.",
                               find_boot () + get (stat, STAT_BEGIN) / ticks);
  tall_metric_text_add_family (text, "process_virtual_memory_bytes", TALL_GAUGE, "Address space.",
                               get (stat, STAT_VIRTUAL));
  tall_metric_text_add_family (text, "process_resident_memory_bytes", TALL_GAUGE, "Memory in use.",
                               get (stat, STAT_RESIDENT) * (gdouble)sysconf (_SC_PAGESIZE));
  tall_metric_text_add_family (text, "process_threads", TALL_GAUGE, "Threads.",
                               get (stat, STAT_THREADS));
}
