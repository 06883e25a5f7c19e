/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-client.h"
#include "migrate/migrate-state.h"
#include "backup/runner.h"

G_BEGIN_DECLS

TallMigrateState *tall_client_start_migration (TallClient *self,
                                               const TallMigrateWish *wish,
                                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallMigrateState *tall_client_get_migration (TallClient *self,
                                             const char *id,
                                             guint seen,
                                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

TallBackupState *tall_client_start_backup (TallClient *self,
                                           const char *name,
                                           guint rate,
                                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallBackupState *
tall_client_get_backup (TallClient *self, const char *id, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
