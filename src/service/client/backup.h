/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "backup/runner.h"
#include "tall-client.h"

G_BEGIN_DECLS

TallBackupState *tall_client_start_backup (TallClient *self,
                                           const char *name,
                                           guint rate,
                                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallBackupState *
tall_client_get_backup (TallClient *self, const char *id, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
