/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/known-commands.h"
#include "cli/command.h"
#include "cli/suggest.h"

#define TALL_COMMAND_NAME(name) #name,

/* What reads options needs the names alone: the commands themselves read options. */
static const char *const names[] = { TALL_COMMANDS (TALL_COMMAND_NAME) NULL };

gboolean
tall_known_commands_have (const char *name)
{
  return g_strv_contains (names, name);
}

/**
 * tall_known_commands_suggest:
 *
 * Returns: (nullable) (transfer none): the name of the command that was probably meant
 */
const char *
tall_known_commands_suggest (const char *word)
{
  return tall_suggest (word, names);
}
