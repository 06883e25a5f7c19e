/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * TallExit:
 * @TALL_EXIT_DONE: done
 * @TALL_EXIT_NO: the answer is no: not found, a condition does not hold, rows were rejected
 * @TALL_EXIT_USAGE: the command was called wrongly; nothing was done
 * @TALL_EXIT_FAILED: it failed
 */
typedef enum
{
  TALL_EXIT_DONE = 0,
  TALL_EXIT_NO = 1,
  TALL_EXIT_USAGE = 2,
  TALL_EXIT_FAILED = 3,
} TallExit;

/**
 * TallCommand:
 *
 * One command of the program. A new one is one new file and one entry in tall-commands.c.
 */
typedef struct
{
  const char *name;
  const char *arguments;        /* as in usage lines; ASCII */
  const char *summary;          /* one line; ASCII */
  const char *help;             /* more of it, with an example; ASCII */
  gboolean takes_server;        /* it also works on a server */
  gboolean ignores_environment; /* it means something else to name no store */
  TallExit (*run) (int argc, char **argv);
} TallCommand;

extern const TallCommand tall_command_bench;
extern const TallCommand tall_command_customer;
extern const TallCommand tall_command_delete;
extern const TallCommand tall_command_drop;
extern const TallCommand tall_command_explain;
extern const TallCommand tall_command_export;
extern const TallCommand tall_command_get;
extern const TallCommand tall_command_init;
extern const TallCommand tall_command_list;
extern const TallCommand tall_command_load;
extern const TallCommand tall_command_put;
extern const TallCommand tall_command_serve;
extern const TallCommand tall_command_status;
extern const TallCommand tall_command_verify;

G_END_DECLS
