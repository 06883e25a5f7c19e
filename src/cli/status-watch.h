/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/command.h"

G_BEGIN_DECLS

TallExit tall_status_watch (const char *address, guint seconds);

G_END_DECLS
