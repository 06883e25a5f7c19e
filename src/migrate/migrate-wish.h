/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "migrate/migrate-state.h"

G_BEGIN_DECLS

TallMigrateWish tall_migrate_wish_copy (const TallMigrateWish *self, TallArena *arena);
gboolean tall_migrate_wish_check (const TallMigrateWish *self,
                                  const TallTableKind *kind,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_migrate_wish_may_join (const TallMigrateWish *self,
                                     const TallMigrateWish *running,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
