/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands.h"

#define TALL_COMMAND_ENTRY(name) &tall_command_##name,

const TallCommand *const tall_commands[] = { TALL_COMMANDS (TALL_COMMAND_ENTRY) NULL };

/**
 * tall_commands_find:
 *
 * Returns: (nullable): the command of this name
 */
const TallCommand *
tall_commands_find (const char *name)
{
  for (guint i = 0; tall_commands[i] != NULL; i++)
    if (g_str_equal (tall_commands[i]->name, name))
      return tall_commands[i];
  return NULL;
}
