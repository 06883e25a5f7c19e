/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "migrate/copy-item.h"

G_BEGIN_DECLS

gboolean tall_copy_run (const TallCopier *copier,
                        TallCopyItem *items,
                        guint n_items,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
