/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-conformance.h"
#include "tall-error.h"

G_BEGIN_DECLS

/* Creating a table takes a second in HBase: cases share these two, each with rows of its own. */
#define SHARED "shared"
#define OTHER "other"

struct _TallConformance
{
  TallConformanceBackend backend;
  char *name;       /* of the deployment, different in every run */
  TallTable *table; /* opened by the first case */
  GString *rows;    /* what the row keys of the case begin with */
};

typedef struct
{
  const char *path;
  void (*run) (TallConformance *self);
} TallConformanceCase;

extern const TallConformanceCase tall_conformance_row_cases[];
extern const TallConformanceCase tall_conformance_scan_cases[];
extern const TallConformanceCase tall_conformance_condition_cases[];
extern const TallConformanceCase tall_conformance_together_cases[];
extern const TallConformanceCase tall_conformance_table_cases[];
extern const TallConformanceCase tall_conformance_random_cases[];
extern const TallConformanceCase tall_conformance_access_cases[];
extern const TallConformanceCase tall_conformance_fence_cases[];

/* In the helpers below a row is a text that follows the case's own prefix; "" is allowed. Cells and
 * changes are written like this, separated by spaces:
 *
 *   name@20=value   a cell, or the put of one
 *   <=20            deletes up to 20
 *   !20             deletes at exactly 20
 */

/* Adds a mutation to @batch. */
TallMutation *add_changes (TallConformance *self,
                           TallBatch *batch,
                           const char *table,
                           const char *row,
                           const char *changes);

/* A table of the case's own, for what is done to a whole table. */
void create_table (TallConformance *self, const char *name);
void drop_table (TallConformance *self, const char *name);
void set_access (TallConformance *self, const char *name, TallTableAccess access, const char *seal);

/* Applies changes to a row of SHARED. */
void change (TallConformance *self, const char *row, const char *changes);

/* Applies changes if a cell has the @expected text; NULL: if it does not exist. */
gboolean change_if (TallConformance *self,
                    const char *row,
                    const char *qualifier,
                    const char *expected,
                    const char *changes);

TallReadResult *run_plan (TallConformance *self, const TallReadPlan *plan);
TallSlice row_key (TallConformance *self, TallArena *arena, const char *row);
TallSlice row_key_bytes (TallConformance *self, TallArena *arena, TallSlice row);

/* A get or a scan of rows of this case in SHARED, to be narrowed. */
TallRead *add_get (TallConformance *self, TallReadPlan *plan, const char *row);
TallRead *add_scan (TallConformance *self, TallReadPlan *plan, const char *start, const char *stop);

/* Rows as text: "a: x@2=v x@1=w; b: y@1=z". */
char *rows_to_text (TallConformance *self, const TallRows *rows);

/* Checks all cells of a row; "" if it does not exist. */
void expect_row (TallConformance *self, const char *row, const char *cells);

/* Checks the result of the only read of a plan. */
void expect_read (TallConformance *self, const TallReadPlan *plan, const char *rows);

G_END_DECLS
