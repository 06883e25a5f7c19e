/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "service/calls/idl.h"

G_BEGIN_DECLS

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
