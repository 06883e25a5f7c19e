/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-front.h"

G_BEGIN_DECLS

/* A customer with orders that nobody changes: whatever happens to the deployment, they stay, with
 * revisions and request tokens. */

gboolean tall_still_put (TallFront *front, GError **error) G_GNUC_WARN_UNUSED_RESULT;
char *tall_still_describe (TallFront *front, GError **error) G_GNUC_WARN_UNUSED_RESULT;
char *
tall_still_keep (TallFront *front, const char *file, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean
tall_still_check (TallFront *front, const char *wanted, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
