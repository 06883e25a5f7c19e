/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-idl-backup.h"

#include "tall-idl-private.h"

#define Type TallIdlBackup
static const TallStructField tall_idl_backup_request_type_fields[] = { ALWAYS (1, TEXT, name),
                                                                       OPTIONAL (2, I32, rate) };
TALL_STRUCT_TYPE (tall_idl_backup_request_type, "BackupRequest", Type);
#undef Type

#define Type TallIdlBackupLook
static const TallStructField tall_idl_backup_look_type_fields[] = { ALWAYS (1, TEXT, id) };
TALL_STRUCT_TYPE (tall_idl_backup_look_type, "BackupLook", Type);
#undef Type

#define Type TallIdlBackupState
static const TallStructField tall_idl_backup_state_type_fields[] = {
  ALWAYS (1, TEXT, id),
  ALWAYS (2, TEXT, name),
  ALWAYS (3, BOOL, running),
  ALWAYS (4, BOOL, joined),
  ALWAYS (5, TEXT, stage),
  ALWAYS (6, I64, orders),
  ALWAYS (7, I64, customers),
  ALWAYS (8, I64, findings),
  ALWAYS (9, I32, deployments),
  ALWAYS (10, I32, files),
  ALWAYS (11, I64, bytes),
  ALWAYS (12, TEXT, path),
  STRUCT (13, failure, tall_idl_failure_type)
};
TALL_STRUCT_TYPE (tall_idl_backup_state_type, "BackupState", Type);
#undef Type
