/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/record/deployment.h"

G_BEGIN_DECLS

/**
 * TallTestStage:
 * @TALL_TEST_RESTING: no migration has begun
 * @TALL_TEST_COPYING: the target's tables are made
 * @TALL_TEST_SEALING: the record says so; the tables are open
 * @TALL_TEST_SEALED: the root tables are sealed
 * @TALL_TEST_CLOSING: everything is copied, and the record says so
 * @TALL_TEST_CLOSED: all tables of the source are closed
 * @TALL_TEST_SWITCHED: the target counts
 * @TALL_TEST_DROPPED: the source is gone
 *
 * How far a migration has come.
 */
typedef enum
{
  TALL_TEST_RESTING,
  TALL_TEST_COPYING,
  TALL_TEST_SEALING,
  TALL_TEST_SEALED,
  TALL_TEST_CLOSING,
  TALL_TEST_CLOSED,
  TALL_TEST_SWITCHED,
  TALL_TEST_DROPPED,
} TallTestStage;

/**
 * TallTestMove:
 *
 * A migration, stage by stage, whenever a test wants it. It writes what a real one writes, and
 * nothing of it fails.
 */
typedef struct
{
  TallTable *table; /* not owned: without anything that fails */
  const char *layout;
  const char *key_strategy;
  gboolean has_index; /* the target has */

  TallTestStage stage;
  gint64 timestamp; /* of the last write to the record */
} TallTestMove;

void tall_test_move_go (TallTestMove *self, TallTestStage stage);
void tall_test_move_abort (TallTestMove *self);
void tall_test_move_again (TallTestMove *self, const char *layout, const char *key_strategy);

G_END_DECLS
