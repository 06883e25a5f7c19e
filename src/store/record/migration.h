/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/table.h"
#include "tall-bytes.h"

/**
 * TallMigrationPhase:
 * @TALL_MIGRATION_NONE: nothing is going on
 * @TALL_MIGRATION_COPYING: orders are copied to the target, while everybody goes on
 * @TALL_MIGRATION_SEALING: the tables are being sealed, or are sealed: nobody writes
 * @TALL_MIGRATION_CLOSING: all is in the target; the tables are being closed: nobody reads
 * @TALL_MIGRATION_ABORTING: the tables are given back to their readers and writers
 */
typedef enum
{
  TALL_MIGRATION_NONE,
  TALL_MIGRATION_COPYING,
  TALL_MIGRATION_SEALING,
  TALL_MIGRATION_CLOSING,
  TALL_MIGRATION_ABORTING,
} TallMigrationPhase;

#define TALL_SEAL_SIZE 37 /* a UUID as text, and its end */

/**
 * TallMigration:
 *
 * Which generation of tables counts, and what is being done about that: the column `migration` of
 * the deployment record.
 */
typedef struct
{
  guint64 generation; /* whose tables count */
  guint64 target;     /* the one that is being made; 0: none */
  guint64 last;       /* the last number that was ever given */
  TallMigrationPhase phase;
  char seal[TALL_SEAL_SIZE]; /* from closing on: of the seal under which the last pass ran; else ""
                              */
  gboolean unsealed;         /* an abort began: a late call may unseal this generation */
  gboolean reopened;         /* it was opened again after it was closed, or a late call may do so */
} TallMigration;

/* The generation whose tables have the short names themselves. */
#define TALL_FIRST_GENERATION 1

/* Of a deployment that has never moved. */
#define TALL_MIGRATION_INIT                                                                        \
  ((TallMigration){ .generation = TALL_FIRST_GENERATION, .last = TALL_FIRST_GENERATION })

const char *tall_migration_phase_get_name (TallMigrationPhase phase);

/* The steps: each gives what the record is to say next. Nothing is written. */
TallMigration tall_migration_begin (const TallMigration *self);
TallMigration tall_migration_seal (const TallMigration *self);
TallMigration tall_migration_close (const TallMigration *self, const char *seal);
TallMigration tall_migration_switch (const TallMigration *self);
TallMigration tall_migration_abort (const TallMigration *self, gboolean closed);
TallMigration tall_migration_give_up (const TallMigration *self);

gboolean tall_migration_is_possible (const TallMigration *self);
gboolean tall_migration_parse (TallMigration *self,
                               TallSlice text,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
char *tall_migration_print (const TallMigration *self);
char *tall_migration_add_check (const char *text);

gboolean tall_migration_change (TallTable *table,
                                const char *id,
                                const TallMigration *is,
                                const TallMigration *to,
                                const char *const *next,
                                gint64 deadline,
                                gboolean *done,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
