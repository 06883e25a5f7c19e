/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/json-build.h"

void
tall_json_add_text (JsonBuilder *builder, const char *name, const char *text)
{
  if (text == NULL)
    return;
  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, text);
}

/**
 * tall_json_add_texts:
 * @texts: (nullable): ended by NULL; NULL: the list is left out
 */
void
tall_json_add_texts (JsonBuilder *builder, const char *name, const char *const *texts)
{
  if (texts == NULL)
    return;
  tall_json_begin_array (builder, name);
  for (guint i = 0; texts[i] != NULL; i++)
    json_builder_add_string_value (builder, texts[i]);
  json_builder_end_array (builder);
}

void
tall_json_add_number (JsonBuilder *builder, const char *name, gint64 number)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, number);
}

void
tall_json_add_double (JsonBuilder *builder, const char *name, double number)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_double_value (builder, number);
}

void
tall_json_add_flag (JsonBuilder *builder, const char *name, gboolean flag)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_boolean_value (builder, flag);
}

void
tall_json_begin_object (JsonBuilder *builder, const char *name)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_object (builder);
}

void
tall_json_begin_array (JsonBuilder *builder, const char *name)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_array (builder);
}

/**
 * tall_json_build:
 * @pretty: over several lines
 *
 * Returns: (transfer full): the text of what was built
 */
char *
tall_json_build (JsonBuilder *builder, gboolean pretty)
{
  g_autoptr (JsonNode) root = json_builder_get_root (builder);
  return json_to_string (root, pretty);
}
