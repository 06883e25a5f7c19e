/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "service/calls/idl.h"
#include "migrate/migrate-runner.h"

G_BEGIN_DECLS

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

/* MigrationPlan. */
typedef struct
{
  gboolean resumed;
  char *from_layout;
  char *from_key_strategy;
  char *from_index;
  char *to_layout;
  char *to_key_strategy;
  char *to_index;
  gint64 generation;
  gint64 target;
  gint64 orders;
  gint64 customers;
  gint64 lines;
  gint64 bytes;
  gint64 needed;
  gint64 room;
  gboolean has_room;
  gint64 copy_ms;
  gint64 pause_ms;
  gint64 pause_limit_ms;
  gint32 loads;
} TallIdlMigrationPlan;

/* Unfit. */
typedef struct
{
  char *customer_number; /* NULL: absent */
  char *order_number;    /* the same */
  char *table;
  TallSlice row;
  char *message;
} TallIdlUnfit;

/* MigrationState. */
typedef struct
{
  char *id; /* NULL: absent */
  char *task;
  gboolean running;
  gboolean joined;
  char *stage;
  gint32 pass_number;
  gint64 looked_at;
  gint64 all;
  gint64 copied;
  gint64 rate;
  gint64 left_ms;
  TallIdlMigrationPlan *plan; /* NULL: absent */
  TallIdlUnfit *unfit;        /* n_unfit of them */
  guint n_unfit;
  char *outcome; /* NULL: absent */
  gint64 generation;
  gint32 passes;
  gint64 all_copied;
  gint64 all_unfit;
  gint64 pause_us;
  gint32 dropped;
  TallIdlFailure *failure; /* NULL: absent */
} TallIdlMigrationState;

extern const TallStructType tall_idl_migration_request_type;
extern const TallStructType tall_idl_migration_look_type;
extern const TallStructType tall_idl_migration_state_type;
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

/* BackupState. */
typedef struct
{
  char *id; /* NULL: absent */
  char *name;
  gboolean running;
  gboolean joined;
  char *stage;
  gint64 orders;
  gint64 customers;
  gint64 findings;
  gint32 deployments;
  gint32 files;
  gint64 bytes;
  char *path;              /* NULL: absent */
  TallIdlFailure *failure; /* NULL: absent */
} TallIdlBackupState;

extern const TallStructType tall_idl_backup_request_type;
extern const TallStructType tall_idl_backup_look_type;
extern const TallStructType tall_idl_backup_state_type;

G_END_DECLS
