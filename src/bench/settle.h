/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "bench/phase.h"
#include "bench/store.h"
#include "table/table-kind.h"
#include "table/table.h"

#include <glib.h>

/**
 * TallBenchProgram:
 *
 * Another program that does something and ends. What it has printed is owned.
 */
typedef struct
{
  const char *const *arguments; /* the first one is its name */
  const char *input;            /* nullable: what it reads from its standard input */
  guint seconds;                /* that it may take */
  char *out;                    /* nullable */
  char *said;                   /* nullable: to its standard error */
  gboolean successful;          /* it has ended with 0 */
} TallBenchProgram;

gboolean tall_bench_program_run (TallBenchProgram *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_bench_program_clear (TallBenchProgram *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallBenchProgram, tall_bench_program_clear)

/**
 * TallBenchRest:
 * @TALL_BENCH_AS_IT_IS: nothing was done
 * @TALL_BENCH_FLUSHED: all rows are in files
 * @TALL_BENCH_COMPACTED: the files were rewritten as one, without what is deleted or replaced
 *
 * How the rows of tables lie.
 */
typedef enum
{
  TALL_BENCH_AS_IT_IS,
  TALL_BENCH_FLUSHED,
  TALL_BENCH_COMPACTED,
} TallBenchRest;

extern const char *const tall_bench_rest_names[]; /* as the command line has them */

gboolean tall_bench_settle (TallTable *table,
                            const char *admin,
                            TallBenchRest rest,
                            guint64 *bytes,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_bench_settle_one (TallTable *table,
                                const char *name,
                                TallBenchRest rest,
                                guint64 *bytes,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * TallBenchConditions:
 *
 * In which state a store is when it is measured, and who works for it. All zero: new, as it comes
 * to lie, with what the store usually does. Texts are not owned.
 */
typedef struct
{
  const char *compression;    /* nullable: the store's own */
  const char *block_encoding; /* the same */
  guint regions;              /* that its tables begin with; 0: not said, which makes one */
  guint age;                  /* times that each order was replaced before */
  TallBenchRest rest;         /* how the rows lie then */
  double cache;               /* the block cache, by the bytes stored then; read without the page
                                 cache. 0: a usual one */
  const char *admin;          /* nullable: see tall_bench_settle() */
  TallBenchPids pids;
} TallBenchConditions;

/**
 * TallBenchPlace:
 *
 * Where deployments are made. Embedded: each in a directory of its own below that of the address.
 * Others: in its place, each under a name of its own. Their names begin with that of the address.
 */
typedef struct
{
  const TallTableAddress *address;
  gboolean keep; /* leave those of the last turn behind */
} TallBenchPlace;

void tall_bench_place_describe_kept (const TallBenchPlace *self,
                                     const TallStoreSettings *settings,
                                     GString *text);
gboolean tall_bench_place_open (const TallBenchPlace *self,
                                const TallStoreSettings *settings,
                                TallBenchStore *store,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_bench_place_open_cold (const TallBenchPlace *self,
                                     const TallStoreSettings *settings,
                                     gsize cache_bytes,
                                     TallBenchStore *store,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_bench_place_check (const TallBenchPlace *self,
                                 const TallBenchConditions *conditions,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_bench_place_make (const TallBenchPlace *self,
                                gboolean *made,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
