/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "model/json-build.h"
#include "tall-verify.h"

#include <glib.h>

G_BEGIN_DECLS

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

/**
 * TallGrid:
 *
 * A table for people: a header and rows of texts. Columns are as wide as their widest text.
 */
typedef struct _TallGrid TallGrid;

/* @columns: a name each, NULL-terminated; those that begin with `>` are aligned to the right. */
TallGrid *tall_grid_new (const char *const *columns);
void tall_grid_free (TallGrid *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallGrid, tall_grid_free)

void tall_grid_add (TallGrid *self, const char *text);
void tall_grid_add_number (TallGrid *self, guint64 number);
void tall_grid_print (TallGrid *self, guint indent);

void tall_json_print (JsonBuilder *builder);
void tall_json_print_line (JsonBuilder *builder);
JsonBuilder *tall_json_line_new (const char *what);
void tall_json_line_end (JsonBuilder *builder);
char *tall_json_round (const char *json);
void tall_json_print_text (const char *json);
char *tall_json_add_revision (const char *json, gint64 revision);

void tall_json_add_load (JsonBuilder *builder, const TallUnfinishedLoad *load);

G_END_DECLS
