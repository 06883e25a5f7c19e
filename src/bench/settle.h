/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "bench/phase.h"
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
