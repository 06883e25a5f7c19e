/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "backup/backup.h"
#include "backup/seal.h"

G_BEGIN_DECLS

gboolean tall_backup_files_sum (const char *folder,
                                TallBackupSeal *seal,
                                const TallBackupHooks *hooks,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_backup_files_copy (const char *from,
                                 const char *to,
                                 const TallBackupSeal *seal,
                                 const TallBackupHooks *hooks,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
