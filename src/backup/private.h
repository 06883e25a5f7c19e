/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "backup/backup.h"

/* What a folder is called until all in it is there and synced, after its own name. */
#define TALL_BACKUP_UNFINISHED ".unfinished"

char *tall_backup_resolve (const char *path);
gboolean tall_backup_fail (GError **error, const char *path, int code, const char *message)
    G_GNUC_WARN_UNUSED_RESULT;

/* The file that makes a folder a backup. */
#define TALL_BACKUP_SEAL "BACKUP"

/**
 * TallBackupFile:
 *
 * One file of a backup.
 */
typedef struct
{
  char *name;
  guint64 size;
  char *sum; /* SHA-256, in hex */
} TallBackupFile;

/**
 * TallBackupDeployment:
 *
 * What was verified of one deployment.
 */
typedef struct
{
  char *name;
  guint64 n_orders;
  guint64 n_customers;
  guint64 n_hints;
  guint64 n_ids;
  guint64 n_findings; /* none of them needs a person */
  gboolean can_end;   /* its orders have a TTL; not in the file */
} TallBackupDeployment;

/**
 * TallBackupSeal:
 *
 * What a backup says of itself, in a key file of its own: every file, and what was found in them.
 */
typedef struct
{
  char *made;             /* ISO 8601, UTC */
  GPtrArray *deployments; /* of TallBackupDeployment, by name */
  GPtrArray *files;       /* of TallBackupFile, by name; not the seal itself */
} TallBackupSeal;

TallBackupSeal *tall_backup_seal_new (void);
TallBackupSeal *tall_backup_seal_read (const char *folder,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallBackupDeployment *tall_backup_seal_add_deployment (TallBackupSeal *self, const char *name);
gboolean tall_backup_seal_write (const TallBackupSeal *self,
                                 const char *folder,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_backup_seal_free (TallBackupSeal *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallBackupSeal, tall_backup_seal_free)

gboolean tall_backup_files_sum (const char *folder,
                                TallBackupSeal *seal,
                                const TallBackupHooks *hooks,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_backup_files_copy (const char *from,
                                 const char *to,
                                 const TallBackupSeal *seal,
                                 const TallBackupHooks *hooks,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean tall_backup_go_on (const TallBackupHooks *hooks,
                            const TallBackupProgress *progress,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
