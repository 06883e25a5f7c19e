/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/mapping/mapping-private.h"
#include "tall-error.h"

void
tall_mapping_source_free (gpointer data)
{
  TallMappingSource *source = data;
  g_free (source->attribute);
  g_free (source->column);
  g_free (source->fallback);
  g_free (source);
}

void
tall_mapping_free (TallMapping *self)
{
  if (self == NULL)
    return;
  g_free (self->name);
  g_ptr_array_unref (self->composites);
  g_ptr_array_unref (self->files);
  g_string_chunk_free (self->texts);
  g_clear_pointer (&self->format.zone, g_time_zone_unref);
  for (guint scope = 0; scope < TALL_N_SCOPES; scope++)
    g_ptr_array_unref (self->of_scope[scope]);
  g_ptr_array_unref (self->sources);
  g_ptr_array_unref (self->lists);
  g_free (self);
}

/**
 * tall_mapping_keep_text:
 *
 * Returns: (transfer none) (nullable): a copy that lives as long as the mapping; NULL of NULL
 */
const char *
tall_mapping_keep_text (TallMapping *self, const char *text)
{
  return text != NULL ? g_string_chunk_insert_const (self->texts, text) : NULL;
}

/**
 * tall_mapping_refuse:
 * @group: (nullable): NULL: no single one
 * @key: (nullable): likewise
 *
 * Sets an error that begins with the file, the group and the key.
 *
 * Returns: FALSE
 */
gboolean
tall_mapping_refuse (const TallMapping *self,
                     const char *group,
                     const char *key,
                     GError **error,
                     const char *format,
                     ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  if (group == NULL)
    tall_error_set_invalid (error, "map", "Mapping %s: %s", self->name, what);
  else if (key == NULL)
    tall_error_set_invalid (error, "map", "Mapping %s, [%s]: %s", self->name, group, what);
  else
    tall_error_set_invalid (error, "map", "Mapping %s, [%s] %s: %s", self->name, group, key, what);
  return FALSE;
}
