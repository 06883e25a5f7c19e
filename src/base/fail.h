/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-error.h"

/* Set an error and return FALSE, so that a function fails in one statement. */
gboolean tall_error_fail (GError **error, TallError code, const char *format, ...)
    G_GNUC_PRINTF (3, 4) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_error_fail_invalid (GError **error, const char *field, const char *format, ...)
    G_GNUC_PRINTF (3, 4) G_GNUC_WARN_UNUSED_RESULT;
