/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-copy-pair.h"
#include "migrate/migrate.h"

G_BEGIN_DECLS

/**
 * TallMoving:
 *
 * A small deployment that is to move, and what it is to become.
 */
typedef struct
{
  TallCopySide side; /* its table is that of one process; TALL_MOVING_OTHERS() that of all others */
  TallStoreHooks hooks;
  TallMigrateOptions options;
  char *before; /* owned: what is stored, as tall_copy_dump() says it */
  char *wanted; /* owned: the same in the target */
} TallMoving;

#define TALL_MOVING_ITEMS 6
#define TALL_MOVING_OTHERS(self)                                                                   \
  tall_failing_table_get_table (TALL_FAILING_TABLE ((self)->side.table))

/* What comes at call @at of a process. Returns: FALSE if it makes fewer calls */
typedef gboolean (*TallMovingTry) (guint at);

void tall_moving_init (TallMoving *self, const TallLayout *from, const TallLayout *to);
void tall_moving_clear (TallMoving *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallMoving, tall_moving_clear)

gboolean tall_moving_run (TallMoving *self, TallTable *table, GError **error);
void tall_moving_finish (TallMoving *self);
void tall_moving_abort (TallMoving *self);
void tall_moving_give_up_closed (TallMoving *self);

void tall_moving_try_each_call (TallMovingTry try_at, guint least);

TallMigration tall_moving_read_migration (const TallMoving *self);
guint64 tall_moving_get_generation (const TallMoving *self);
TallTable *tall_moving_open_generation (const TallMoving *self, guint64 generation);
void tall_moving_expect_moved (const TallMoving *self);
void tall_moving_expect_unmoved (const TallMoving *self);
void tall_moving_expect_lines (const char *is, const char *wanted);

G_END_DECLS
