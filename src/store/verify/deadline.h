/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * tall_verify_deadline:
 *
 * Returns: until when one call of the table may take, in a verification or repair
 */
static inline gint64
tall_verify_deadline (void)
{
  return g_get_monotonic_time () + 60 * G_USEC_PER_SEC;
}

G_END_DECLS
