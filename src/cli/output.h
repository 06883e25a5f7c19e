/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/text.h"
#include "load/store/loader.h"
#include "model/json-build.h"
#include "tall-verify.h"

#include <glib.h>

/* Output is UTF-8, whatever the locale says. */
void tall_print (const char *format, ...) G_GNUC_PRINTF (1, 2);
void tall_print_json (const char *format, ...) G_GNUC_PRINTF (1, 2);
void tall_output_flush (void);
gboolean tall_output_works (void);
int tall_output_finish (int code);
void tall_print_error (const char *format, ...) G_GNUC_PRINTF (1, 2);
void tall_print_failure (const GError *error);

/**
 * TallStyle:
 *
 * Colours, on a terminal and unless NO_COLOR is set.
 */
typedef enum
{
  TALL_STYLE_PLAIN,
  TALL_STYLE_BOLD,
  TALL_STYLE_DIM,
  TALL_STYLE_GOOD,
  TALL_STYLE_BAD,
} TallStyle;

void tall_print_styled (TallStyle style, const char *format, ...) G_GNUC_PRINTF (2, 3);

void tall_print_wrapped (const char *before, const char *text, const char *between, gint indent);
void tall_grid_print (TallGrid *self, guint indent);

void tall_json_print (JsonBuilder *builder);
void tall_json_print_line (JsonBuilder *builder);
JsonBuilder *tall_json_line_new (const char *what);
void tall_json_line_end (JsonBuilder *builder);
char *tall_json_round (const char *json);
void tall_json_print_text (const char *json);
char *tall_json_add_revision (const char *json, gint64 revision);

/**
 * TallList:
 *
 * Where an entry of a list goes: to JSON, or to a table for people.
 */
typedef struct
{
  JsonBuilder *builder; /* nullable: an object that is being built */
  TallGrid *grid;       /* if @builder is NULL */
} TallList;

/* Adds the texts and numbers of one item. */
typedef void (*TallListAdd) (const TallList *self, gconstpointer item);

void tall_list_add (const TallList *self, const char *member, const char *text, const char *none);
void
tall_list_add_number (const TallList *self, const char *member, guint64 number, const char *none);
void tall_list_print (JsonBuilder *builder,
                      const char *name,
                      const char *const *columns,
                      gconstpointer items,
                      guint n,
                      TallListAdd add,
                      const char *before);
void tall_list_add_load (const TallList *self, gconstpointer load);

/**
 * TallProgress:
 *
 * How far a load is.
 */
typedef struct
{
  TallLoadStage stage;
  guint64 items;    /* orders or customers that are done */
  const char *done; /* what they are then */
  guint64 rows;     /* read */
  guint64 rejected; /* of these */
  guint64 position; /* bytes, or rows put aside, that the stage has done */
  guint64 size;     /* and has to do; 0: not known */
} TallProgress;

/* A bar on standard error, a few times a second; a line every ten seconds if that is not a
 * terminal. One load at a time. */
void tall_progress_show (const TallProgress *progress);
void tall_progress_show_text (const char *text);
void tall_progress_append_bar (GString *line, guint64 position, guint64 size);
void tall_progress_clear (void);

const gint *tall_stop_on_signals (void);

void tall_shortage_prepare (void);

void tall_log_start (gboolean service);
void tall_log_use_json (void);
gboolean tall_log_set_level (const char *name) G_GNUC_WARN_UNUSED_RESULT;
