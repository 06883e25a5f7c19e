/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-commands.h"
#include "tall-suggest.h"

const TallCommand *const tall_commands[] = {
  &tall_command_init,     &tall_command_serve,   &tall_command_load,
  &tall_command_put,      &tall_command_get,     &tall_command_delete,
  &tall_command_customer, &tall_command_explain, &tall_command_status,
  &tall_command_bench,    &tall_command_list,    &tall_command_export,
  &tall_command_drop,     &tall_command_verify,  NULL,
};

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

/**
 * tall_commands_suggest:
 *
 * Returns: (nullable) (transfer none): the name of the command that was probably meant
 */
const char *
tall_commands_suggest (const char *word)
{
  const char *names[G_N_ELEMENTS (tall_commands)] = { NULL };
  for (guint i = 0; tall_commands[i] != NULL; i++)
    names[i] = tall_commands[i]->name;
  return tall_suggest (word, names);
}
