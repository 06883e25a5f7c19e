/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/meter.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "tall-error.h"
#include "table/hbase/table.h"

/* Of the calling process, if @pid is 0. NAN: there is no such process. */
static double
read_cpu (pid_t pid)
{
  clockid_t clock;
  struct timespec time;
  if (clock_getcpuclockid (pid, &clock) != 0 || clock_gettime (clock, &time) != 0)
    return NAN;
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double
read_cpu_of_all (const pid_t *pids, guint n)
{
  double sum = n > 0 ? 0 : NAN;
  for (guint i = 0; i < n; i++)
    sum += read_cpu (pids[i]);
  return sum;
}

static double
find_measure (const GArray *measures, const char *name)
{
  for (guint i = 0; measures != NULL && i < measures->len; i++)
    if (g_str_equal (g_array_index (measures, TallTableMeasure, i).name, name))
      return g_array_index (measures, TallTableMeasure, i).value;
  return NAN;
}

/**
 * tall_bench_meter_read:
 *
 * Reads what has been spent since some moment, always the same.
 */
void
tall_bench_meter_read (const TallBenchMeter *self, double values[TALL_BENCH_N_SPENDINGS])
{
  static const TallBenchPids none = { 0 };
  const TallBenchPids *pids = self->pids != NULL ? self->pids : &none;
  g_autoptr (GArray) measures =
      TALL_IS_HBASE_TABLE (self->table) ? tall_table_list_measures (self->table) : NULL;
  values[TALL_BENCH_SPENT_CLIENT] = read_cpu (0);
  values[TALL_BENCH_SPENT_GATEWAY] = read_cpu_of_all (pids->gateways, pids->n_gateways);
  values[TALL_BENCH_SPENT_SERVER] = read_cpu_of_all (pids->servers, pids->n_servers);
  values[TALL_BENCH_SPENT_SENT] = find_measure (measures, TALL_HBASE_SENT_BYTES);
  values[TALL_BENCH_SPENT_RECEIVED] = find_measure (measures, TALL_HBASE_RECEIVED_BYTES);
}

static gboolean
add_pid (pid_t *pids, guint *n, const char *text)
{
  guint64 pid;
  if (*n == TALL_BENCH_MAX_PIDS || !g_ascii_string_to_unsigned (text, 10, 1, G_MAXINT, &pid, NULL)
      || isnan (read_cpu ((pid_t)pid)))
    return FALSE;
  pids[(*n)++] = (pid_t)pid;
  return TRUE;
}

static gboolean
add_part (TallBenchPids *self, const char *part)
{
  if (g_str_has_prefix (part, "gateway="))
    return add_pid (self->gateways, &self->n_gateways, part + strlen ("gateway="));
  return g_str_has_prefix (part, "server=")
         && add_pid (self->servers, &self->n_servers, part + strlen ("server="));
}

/**
 * tall_bench_pids_parse:
 * @self: zero before
 * @text: such as `gateway=12,server=34,server=56`
 */
gboolean
tall_bench_pids_parse (TallBenchPids *self, const char *text, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);
  gboolean right = parts[0] != NULL;
  for (guint i = 0; right && parts[i] != NULL; i++)
    right = add_part (self, parts[i]);
  if (!right)
    tall_error_set_invalid (error, "pids",
                            "--pids %s: write gateway=PID or server=PID between commas, each of a "
                            "process that runs on this machine",
                            text);
  return right;
}
