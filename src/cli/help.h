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

/* How a command line asks for help. */
typedef enum
{
  TALL_HELP_NONE,
  TALL_HELP_TEXT,
  TALL_HELP_JSON,
} TallHelp;

TallHelp tall_help_wanted (char **argv);
int tall_help_print (GOptionContext *context);
int tall_help_print_json (const TallCommand *command,
                          const char *description,
                          const GOptionEntry *own,
                          const GOptionEntry *common);

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

G_END_DECLS
