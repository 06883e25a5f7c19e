/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/command.h"

G_BEGIN_DECLS

TallExit tall_usage_error (const TallCommand *command, const char *format, ...)
    G_GNUC_PRINTF (2, 3);
TallExit tall_call_error (const TallCommand *command, const GError *error);
TallExit tall_fail (const GError *error);
TallExit tall_refuse (const TallCommand *command, const GError *error);

G_END_DECLS
