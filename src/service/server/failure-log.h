/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-error.h"

G_BEGIN_DECLS

void tall_failure_log_add (TallError code, const char *operation, const GError *error);
void tall_failure_log_forget (void);

G_END_DECLS
