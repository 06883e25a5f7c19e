/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/json.h"

/* Lists and attributes are named as in changes of an order: tall_patch_forms. */
static const struct
{
  const char *member, *name;
} names[] = {
  { "shipping_locations", "location" },
  { "line_items", "line" },
  { "attributes", "attribute" },
  { "adjustments", "adjustment" },
};

static char *find (const char *path, JsonNode *given, JsonNode *stored);

static const char *
get_name (const char *member)
{
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (names[i].member, member))
      return names[i].name;
  return member;
}

static gint64
get_number (JsonNode *element)
{
  return JSON_NODE_HOLDS_OBJECT (element)
             ? json_object_get_int_member_with_default (json_node_get_object (element), "number", 0)
             : 0;
}

static char *
find_in_members (const char *path, JsonObject *given, JsonObject *stored)
{
  g_autoptr (GList) members = json_object_get_members (given);
  members = g_list_concat (members, json_object_get_members (stored));
  for (GList *each = members; each != NULL; each = each->next)
    {
      /* A line is named by its number alone, in whichever location it is. */
      const char *name = get_name (each->data);
      gboolean is_line = g_str_equal (name, "line");
      g_autofree char *place =
          g_strconcat (is_line ? "" : path, *path == '\0' || is_line ? "" : ".", name, NULL);
      char *found = find (place, json_object_get_member (given, each->data),
                          json_object_get_member (stored, each->data));
      if (found != NULL)
        return found;
    }
  return NULL;
}

/* Elements with numbers are sorted by them. */
static char *
find_in_elements (const char *path, JsonArray *given, JsonArray *stored)
{
  guint n_given = json_array_get_length (given), n_stored = json_array_get_length (stored);
  for (guint i = 0; i < MAX (n_given, n_stored); i++)
    {
      JsonNode *ours = i < n_given ? json_array_get_element (given, i) : NULL;
      JsonNode *theirs = i < n_stored ? json_array_get_element (stored, i) : NULL;
      gint64 number = ours != NULL ? get_number (ours) : get_number (theirs);
      if (ours != NULL && theirs != NULL && number != get_number (theirs))
        {
          gboolean is_ours = number < get_number (theirs);
          number = MIN (number, get_number (theirs));
          *(is_ours ? &theirs : &ours) = NULL;
        }
      g_autofree char *place =
          g_strdup_printf ("%s[%" G_GINT64_FORMAT "]", path, number != 0 ? number : i + 1);
      char *found = find (place, ours, theirs);
      if (found != NULL)
        return found;
    }
  return NULL;
}

/* Either may be NULL: there is none. */
static char *
find (const char *path, JsonNode *given, JsonNode *stored)
{
  if (given == NULL || stored == NULL)
    return g_strdup_printf (given != NULL ? "%s is new" : "%s is only in what is stored", path);
  if (JSON_NODE_HOLDS_OBJECT (given))
    return find_in_members (path, json_node_get_object (given), json_node_get_object (stored));
  if (JSON_NODE_HOLDS_ARRAY (given))
    return find_in_elements (path, json_node_get_array (given), json_node_get_array (stored));
  if (json_node_equal (given, stored))
    return NULL;
  g_autofree char *ours = json_to_string (given, FALSE), *theirs = json_to_string (stored, FALSE);
  g_autofree char *shown = tall_json_shorten (ours), *known = tall_json_shorten (theirs);
  return g_strdup_printf ("%s is %s, and %s is stored", path, shown, known);
}

/**
 * tall_json_find_difference:
 * @given: JSON of an order or a customer
 * @stored: the same of another one
 *
 * Returns: (transfer full) (nullable): where they differ first, for people; NULL: nowhere
 */
char *
tall_json_find_difference (const char *given, const char *stored)
{
  g_autoptr (JsonNode) ours = json_from_string (given, NULL);
  g_autoptr (JsonNode) theirs = json_from_string (stored, NULL);
  return find ("", ours, theirs);
}
