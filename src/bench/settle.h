/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/table.h"

G_BEGIN_DECLS

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
void tall_bench_settle_wait (TallTable *table, const gint *stop);

G_END_DECLS
