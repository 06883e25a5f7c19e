/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "backup/runner.h"
#include "migrate/migrate-runner.h"
#include "service/calls/idl.h"

/* Of what cannot be copied, so much is in one answer. */
#define TALL_IDL_MANY_UNFIT 64

/* MigrationRequest. */
typedef struct
{
  char *task; /* NULL: absent, like the other texts */
  char *layout;
  char *key_strategy;
  char *index;
  gint32 regions;
  gboolean has_regions;
  char *compression;
  char *bloom_filter;
  char *block_encoding;
  gint64 pause_ms;
  gboolean has_pause_ms;
  gint32 rate;
  gboolean has_rate;
  gboolean pass_only;
} TallIdlMigration;

/* MigrationLook. */
typedef struct
{
  char *id; /* NULL: absent */
  gint32 seen;
  gboolean has_seen;
} TallIdlMigrationLook;

/* MigrationState. On the wire times are milliseconds, but for the pause of the summary. */
typedef struct
{
  TallMigrateState state;
  char *task; /* NULL: absent */
  char *stage;
  char *outcome;           /* NULL: absent */
  TallIdlFailure *failure; /* NULL: absent */
} TallIdlMigrationState;

extern const TallStructType tall_idl_migration_request_type;
extern const TallStructType tall_idl_migration_look_type;
extern const TallStructType tall_idl_migration_state_type;
extern const TallStructType tall_idl_migration_plan_type;
extern const TallStructType tall_idl_unfit_type;

gboolean tall_idl_migration_parse (const TallIdlMigration *self,
                                   TallMigrateWish *wish,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_idl_migration_init (TallIdlMigration *self, const TallMigrateWish *wish);

/* BackupRequest. */
typedef struct
{
  char *name; /* NULL: absent */
  gint32 rate;
  gboolean has_rate;
} TallIdlBackup;

/* BackupLook. */
typedef struct
{
  char *id; /* NULL: absent */
} TallIdlBackupLook;

/* BackupState. What is counted is that of the summary, once there is one. */
typedef struct
{
  TallBackupState state;
  char *stage;             /* NULL: absent */
  TallIdlFailure *failure; /* NULL: absent */
} TallIdlBackupState;

extern const TallStructType tall_idl_backup_request_type;
extern const TallStructType tall_idl_backup_look_type;
extern const TallStructType tall_idl_backup_state_type;
