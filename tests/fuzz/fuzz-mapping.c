/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"
#include "load/mapping/mapping.h"

/* Any bytes as mapping file: an error that says why, or a mapping whose sources make sense. */
int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const char *const columns[] = { "a", "b", NULL };
  static const char *const row[] = { "1", "" };
  g_autoptr (GError) error = NULL;
  g_autoptr (TallMapping) mapping =
      tall_mapping_parse ("fuzz", (const char *)data, (gssize)size, &error);
  if (mapping == NULL)
    {
      g_assert_nonnull (error);
      return 0;
    }
  g_assert_no_error (error);
  gboolean fits = tall_mapping_bind (mapping, columns, &error);
  g_assert_cmpint (error == NULL, ==, fits);
  for (guint i = 0; i < mapping->sources->len; i++)
    {
      const TallMappingSource *source = tall_mapping_get_source (mapping, i);
      g_assert_true (source->column != NULL || source->fallback != NULL);
      const char *value = tall_mapping_get_value (mapping, source, row, 2);
      g_assert_true (value == NULL || g_utf8_validate (value, -1, NULL));
    }
  return 0;
}
