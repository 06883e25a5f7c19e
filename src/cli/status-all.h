/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/options.h"

G_BEGIN_DECLS

TallExit tall_status_all (const TallOptions *options, const TallCommand *command, gboolean json);

G_END_DECLS
