/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

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
 * One command of the program. A new one is one new file, an entry in TALL_COMMANDS and its name in
 * meson.build.
 */
typedef struct
{
  const char *name;
  const char *arguments;        /* as in usage lines; ASCII */
  const char *summary;          /* one line; ASCII */
  char *(*make_help) (void);    /* nullable: makes lines that stand before @help; ASCII */
  const char *help;             /* more of it, with an example; ASCII */
  gboolean takes_server;        /* it also works on a server */
  gboolean takes_tls;           /* it offers TLS itself; one that works on a server has it anyway */
  gboolean ignores_environment; /* it means something else to name no store */
  TallExit (*run) (int argc, char **argv);
} TallCommand;

/* All commands, in the order of `tallorder help`. */
#define TALL_COMMANDS(X)                                                                           \
  X (init)                                                                                         \
  X (serve)                                                                                        \
  X (load)                                                                                         \
  X (put)                                                                                          \
  X (get)                                                                                          \
  X (patch)                                                                                        \
  X (edit)                                                                                         \
  X (delete)                                                                                       \
  X (customer)                                                                                     \
  X (explain)                                                                                      \
  X (status)                                                                                       \
  X (bench)                                                                                        \
  X (advise)                                                                                       \
  X (list)                                                                                         \
  X (find)                                                                                         \
  X (export)                                                                                       \
  X (drop)                                                                                         \
  X (verify)                                                                                       \
  X (migrate)                                                                                      \
  X (backup)                                                                                       \
  X (restore)

#define TALL_DECLARE_COMMAND(name) extern const TallCommand tall_command_##name;
TALL_COMMANDS (TALL_DECLARE_COMMAND)
#undef TALL_DECLARE_COMMAND

TallExit tall_usage_error (const TallCommand *command, const char *format, ...)
    G_GNUC_PRINTF (2, 3);
TallExit tall_call_error (const TallCommand *command, const GError *error);
TallExit tall_fail (const GError *error);
TallExit tall_fail_with (const GError *error, TallExit code);
TallExit tall_fail_saying (TallExit code, const char *format, ...) G_GNUC_PRINTF (2, 3);
TallExit tall_refuse (const TallCommand *command, const GError *error);

/* How a command line asks for help. */
typedef enum
{
  TALL_HELP_NONE,
  TALL_HELP_TEXT,
  TALL_HELP_JSON,
} TallHelp;

TallHelp tall_help_wanted (char **argv);

/**
 * TallDanger:
 *
 * What cannot be undone, in words.
 */
typedef struct
{
  const char *what;   /* is removed, such as `deployment` */
  const char *called; /* what it has, such as `name` */
  const char *name;   /* which that is */
  const char *with;   /* what goes, too */
} TallDanger;

gboolean tall_confirm (const TallCommand *command,
                       const TallDanger *danger,
                       const char *yes,
                       TallExit *code);
