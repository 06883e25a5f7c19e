/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "base/file.h"
#include "load/mapping/mapping.h"
#include "tall-presets.h"

static const char *const presets[] = { "northwind", "northwind-customers", "online-retail", NULL };

/**
 * tall_mapping_load:
 * @name: a preset's name, or else that of a file
 *
 * Returns: (transfer full): the mapping; NULL with %TALL_ERROR_INVALID
 */
TallMapping *
tall_mapping_load (const char *name, GError **error)
{
  g_autofree char *preset = tall_mapping_preset_text (name);
  if (preset != NULL)
    return tall_mapping_parse (name, preset, -1, error);

  g_autoptr (GError) local = NULL;
  gsize len = 0;
  g_autofree char *text = tall_file_read (name, TALL_FILE_MAX_SETTINGS, &len, &local);
  if (text == NULL)
    {
      g_autofree char *list = g_strjoinv (", ", (char **)presets);
      tall_error_set_invalid (error, "map",
                              "There is no preset “%s” (there are: %s), and as a file, %s", name,
                              list, local->message);
      return NULL;
    }
  return tall_mapping_parse (name, text, (gssize)len, error);
}

/**
 * tall_mapping_presets:
 *
 * Returns: (transfer none): names of the mappings that are built in, NULL-terminated
 */
const char *const *
tall_mapping_presets (void)
{
  return presets;
}

/**
 * tall_mapping_preset_text:
 *
 * Returns: (transfer full) (nullable): the file of a preset; NULL if there is none of that name
 */
char *
tall_mapping_preset_text (const char *name)
{
  if (!g_strv_contains (presets, name))
    return NULL;
  g_autofree char *path = g_strdup_printf ("/tallorder/presets/%s.map", name);
  g_autoptr (GBytes) bytes = g_resource_lookup_data (tall_presets_get_resource (), path,
                                                     G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  g_return_val_if_fail (bytes != NULL, NULL);
  gsize len;
  const char *text = g_bytes_get_data (bytes, &len);
  return g_strndup (text, len);
}
