/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bytes.h"

#include <glib.h>

/* Bytes of a name that a stranger has chosen, such as that in a certificate, in errors and logs. */
#define TALL_TEXT_MAX_NAME 128

gboolean tall_text_is_utf8 (TallSlice bytes);
char *tall_text_from_bytes (TallSlice bytes);
char *tall_text_clean (const char *text);
char *tall_text_cut (const char *text, gsize max);
char *tall_text_escape_json (const char *json);
const char *tall_text_find_near (const char *word, const char *const *choices, guint n);

gboolean tall_key_file_load (GKeyFile *file, const char *text, gsize len, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

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
void tall_grid_add_format (TallGrid *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
GStrv tall_grid_make_lines (const TallGrid *self, guint indent);
