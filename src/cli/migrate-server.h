/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "migrate/migrate-state.h"
#include "cli/options.h"

G_BEGIN_DECLS

TallExit tall_migrate_on_server (const TallOptions *options,
                                 const TallCommand *command,
                                 const TallMigrateWish *wish,
                                 gboolean json);

G_END_DECLS
