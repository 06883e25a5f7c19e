/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-bench-given.h"
#include "tall-floor.h"
#include "tall-json-output.h"
#include "tall-output.h"

/* An embedded store only says on which disk to measure. */
static void
use_url (const TallStoreUrl *url, TallFloorOptions *floor, TallHbaseOptions *hbase)
{
  if (url == NULL)
    return;
  if (url->kind == TALL_STORE_ROCKSDB)
    {
      floor->directory = url->directory;
      return;
    }
  hbase->gateways = (const char *const *)url->gateways;
  hbase->name = url->name;
  hbase->framed = url->framed;
  hbase->compact = url->compact;
  floor->hbase = hbase;
}

/**
 * tall_bench_measure_floor:
 * @url: (nullable): where; NULL: embedded, where temporary files go
 *
 * `bench --floor`.
 */
TallExit
tall_bench_measure_floor (const TallBenchGiven *given, const TallStoreUrl *url)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallBenchReport) report = tall_bench_report_new ();
  TallHbaseOptions hbase = TALL_HBASE_OPTIONS_INIT;
  TallFloorOptions floor = TALL_FLOOR_OPTIONS_INIT;

  if (given->lines != NULL)
    floor.n_lines = given->min_lines;
  if (given->count != -1)
    floor.n_orders = (guint)given->count;
  if (given->seconds >= 0)
    floor.seconds = given->seconds;
  floor.progress = tall_bench_show_progress;
  use_url (url, &floor, &hbase);
  gboolean done = tall_floor_run (&floor, report, &error);
  tall_bench_clear_progress ();
  if (!done)
    {
      tall_print_failure (error);
      return TALL_EXIT_FAILED;
    }

  g_autofree char *text =
      given->json ? tall_bench_report_to_json (report) : tall_bench_report_to_text (report);
  if (given->json)
    tall_json_print_text (text);
  else
    tall_print ("%s", text);
  return TALL_EXIT_DONE;
}
