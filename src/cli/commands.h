/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/command.h"

G_BEGIN_DECLS

/* All commands of the program, NULL-terminated, in the order in which help names them. */
extern const TallCommand *const tall_commands[];

const TallCommand *tall_commands_find (const char *name);

G_END_DECLS
