/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "floor-run.h"

#include "tall-error.h"

#define MAX_PARTS 10

typedef gboolean (*Part) (TallFloorRun *self, GError **error);

/* What is measured on each kind of tables. */
static const struct
{
  const TallTableKind *kind;
  TallFloorSubject subject;
  Part parts[MAX_PARTS];
} floors[] = {
  { &tall_table_kind_rocksdb,
    TALL_FLOOR_CALLS,
    { tall_floor_get, tall_floor_put, tall_floor_put_threads, tall_floor_writers,
      tall_floor_replace, tall_floor_service, tall_floor_lines, tall_floor_list, tall_floor_page,
      tall_floor_rows } },
  { &tall_table_kind_rocksdb, TALL_FLOOR_LOAD, { tall_floor_load } },
  { &tall_table_kind_rocksdb, TALL_FLOOR_MIGRATE, { tall_floor_migrate } },
  { &tall_table_kind_rocksdb, TALL_FLOOR_ADDRESS, { tall_floor_address } },
  { &tall_table_kind_rocksdb, TALL_FLOOR_TLS, { tall_floor_tls } },
  { &tall_table_kind_hbase, TALL_FLOOR_FETCH, { tall_floor_hbase } },
  { &tall_table_kind_hbase, TALL_FLOOR_LOAD, { tall_floor_load_hbase } },
  { &tall_table_kind_hbase, TALL_FLOOR_ADDRESS, { tall_floor_address_hbase } },
  { &tall_table_kind_hbase, TALL_FLOOR_MIGRATE, { tall_floor_migrate_hbase } },
  { &tall_table_kind_hbase,
    TALL_FLOOR_CALLS,
    { tall_floor_hbase, tall_floor_readers, tall_floor_stores } },
};

static const Part *
find_parts (const TallTableKind *kind, TallFloorSubject subject, GError **error)
{
  static const char *const names[] = {
    [TALL_FLOOR_CALLS] = "",
    [TALL_FLOOR_FETCH] = "fetching from ",
    [TALL_FLOOR_LOAD] = "loading into ",
    [TALL_FLOOR_MIGRATE] = "migrating in ",
    [TALL_FLOOR_ADDRESS] = "correcting an address in ",
    [TALL_FLOOR_TLS] = "TLS before ",
  };
  for (guint i = 0; i < G_N_ELEMENTS (floors); i++)
    if (floors[i].kind == kind && floors[i].subject == subject)
      return floors[i].parts;
  g_set_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED,
               "Nothing is known that %sa store on %s could be compared with; measure its layouts "
               "instead",
               names[subject], kind->title);
  return NULL;
}

/**
 * tall_floor_run:
 * @report: gets the figures
 *
 * Measures what tallorder adds to the stores below it: each figure compares an operation of
 * tallorder with the same bytes sent or stored without it, in the same run. README.md explains each
 * figure. Works in temporary deployments of its own, which are removed afterwards.
 *
 * Returns: FALSE with what went wrong; %TALL_ERROR_UNSUPPORTED if there is nothing to compare this
 *   kind of tables with, %TALL_ERROR_DAMAGED if an order did not come back as it was
 *   stored, %G_IO_ERROR_CANCELLED if it was asked to stop
 */
gboolean
tall_floor_run (const TallFloorOptions *options, TallBenchReport *report, GError **error)
{
  const TallTableAddress *address = options->address;
  const Part *parts = find_parts (address != NULL ? address->kind : &tall_table_kind_rocksdb,
                                  options->subject, error);
  gboolean is_embedded = address != NULL && address->kind == &tall_table_kind_rocksdb;
  TallFloorRun self = { options, report, NULL, is_embedded ? address->place : NULL };
  if (parts == NULL)
    return FALSE;
  tall_bench_report_set (report, "lines", options->n_lines);
  tall_bench_report_set (report, "orders", options->n_orders);
  for (guint i = 0; i < MAX_PARTS && parts[i] != NULL; i++)
    if (!parts[i](&self, error))
      return FALSE;
  return TRUE;
}
