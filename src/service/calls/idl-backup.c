/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/calls/idl-backup.h"

#include "service/calls/idl-private.h"

#define Type TallIdlBackup
IDL_SHARED_STRUCT (tall_idl_backup_request_type,
                   "BackupRequest",
                   ALWAYS (1, TEXT, name),
                   OPTIONAL (2, I32, rate));
#undef Type

#define Type TallIdlBackupLook
IDL_SHARED_STRUCT (tall_idl_backup_look_type, "BackupLook", ALWAYS (1, TEXT, id));
#undef Type

#define Type TallIdlBackupState
IDL_SHARED_STRUCT (tall_idl_backup_state_type,
                   "BackupState",
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
                   STRUCT (13, failure, tall_idl_failure_type));
#undef Type
