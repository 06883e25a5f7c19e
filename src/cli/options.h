/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/command.h"
#include "store/record/tables.h"
#include "store/store.h"
#include "table/table-kind.h"

#include <glib.h>

/* Layouts, key strategies and kinds of stores: what a deployment is chosen from. */
char *tall_choices_describe (void);
void tall_choices_print (gboolean json);

const char *tall_known_commands_suggest (const char *word);

/**
 * TallOptions:
 *
 * What every command takes, and its arguments.
 */
typedef struct
{
  char *store;
  char *server;
  char *config;
  char *tls_ca;
  char *tls_certificate;
  char *tls_key;
  GStrv arguments; /* what is not an option */
  guint n_arguments;
  char *by_number;     /* of `--order`; NULL: it was not given */
  TallOrderId order;   /* that the call is about */
  char **rest;         /* the arguments behind it */
  char *customer;      /* owned: who was found to have it */
  gboolean both_given; /* by the environment: a store and a server */
  GPtrArray *texts;    /* owned: that the command's own options have; nullable */
} TallOptions;

#define TALL_OPTIONS_INIT                                                                          \
  {                                                                                                \
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, { NULL, NULL }, NULL, NULL, FALSE, NULL     \
  }

void tall_options_clear (TallOptions *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallOptions, tall_options_clear)

gboolean tall_options_parse (TallOptions *self,
                             const TallCommand *command,
                             const GOptionEntry *entries,
                             int argc,
                             char **argv,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Of commands that take CUSTOMER ORDER. */
#define TALL_ORDER_ENTRY(options)                                                                  \
  {                                                                                                \
    "order", 0, 0, G_OPTION_ARG_STRING, &(options)->by_number,                                     \
        "the order of that number, whosever it is, by an index", "ORDER"                           \
  }

gboolean tall_options_take_order (TallOptions *self,
                                  const TallCommand *command,
                                  guint most,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_options_find_order (TallOptions *self,
                                  const TallCommand *command,
                                  TallFront *front,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean tall_options_parse_token (const TallCommand *command,
                                   const char *uuid,
                                   TallWriteOptions *write) G_GNUC_WARN_UNUSED_RESULT;

/* What the options name. On failure they print why and set @code. */
TallFront *
tall_options_open_front (const TallOptions *self, const TallCommand *command, TallExit *code);
TallTable *tall_options_open_table (const TallOptions *self,
                                    const TallCommand *command,
                                    gboolean create,
                                    TallExit *code);
TallTable *tall_options_open_deployment (const TallOptions *self,
                                         const TallCommand *command,
                                         const char *name,
                                         TallExit *code);
TallTableAddress *tall_options_find_address (const TallOptions *self);
TallStore *
tall_options_open_store (const TallOptions *self, const TallCommand *command, TallExit *code);

gboolean tall_options_is_alone (TallFront *front);
