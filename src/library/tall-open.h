/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-front.h"

TALL_BEGIN_API

gboolean tall_create_store (const char *store,
                            const char *layout,
                            const char *key_strategy,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallFront *tall_open_store (const char *store, GError **error) G_GNUC_WARN_UNUSED_RESULT;

TALL_END_API
