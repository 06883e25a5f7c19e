/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/mapping/mapping.h"

G_BEGIN_DECLS

/* The delimiters, and how a mapping names them, in the same order. */
#define TALL_DELIMITERS ",;\t|"
#define TALL_DELIMITER_NAMES "comma|semicolon|tab|pipe"

gboolean tall_mapping_refuse (const TallMapping *self,
                              const char *group,
                              const char *key,
                              GError **error,
                              const char *format,
                              ...) G_GNUC_PRINTF (5, 6);
const char *tall_mapping_keep_text (TallMapping *self, const char *text);
gboolean tall_mapping_read_choice (const TallMapping *self,
                                   GKeyFile *file,
                                   const char *key,
                                   const char *words,
                                   guint *choice,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_mapping_read_values (TallMapping *self,
                                   GKeyFile *file,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_mapping_read_settings (TallMapping *self,
                                     GKeyFile *file,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_mapping_source_free (gpointer data);

G_END_DECLS
