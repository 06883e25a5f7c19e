/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "model/json.h"

#include <stdio.h>

#define MAX_SHOWN_NAME 100 /* bytes */

/* json-glib keeps the last of two members with the same name. But it signals each member that it
 * meets, so an object that has fewer members than signals had one twice. */
typedef struct
{
  GArray *told;    /* of guint: members of each open object so far */
  char *duplicate; /* owned: name of the first repeated member */
  guint line;
} Members;

/**
 * tall_json_shorten:
 *
 * Returns: (transfer full): a member's name as messages show it
 */
char *
tall_json_shorten (const char *name)
{
  gsize len = strlen (name);
  if (len <= MAX_SHOWN_NAME)
    return g_strdup (name);

  g_autofree char *front = g_utf8_make_valid (name, MAX_SHOWN_NAME);
  return g_strconcat (front, "…", NULL);
}

static void
on_object_start (JsonParser *parser G_GNUC_UNUSED, gpointer data)
{
  Members *self = data;
  guint none = 0;
  g_array_append_val (self->told, none);
}

static void
on_object_member (JsonParser *parser, JsonObject *object, const char *name, gpointer data)
{
  Members *self = data;
  guint *told = &g_array_index (self->told, guint, self->told->len - 1);
  if (json_object_get_size (object) < ++*told && self->duplicate == NULL)
    {
      self->duplicate = tall_json_shorten (name);
      self->line = json_parser_get_current_line (parser);
    }
}

static void
on_object_end (JsonParser *parser G_GNUC_UNUSED, JsonObject *object G_GNUC_UNUSED, gpointer data)
{
  Members *self = data;
  g_array_set_size (self->told, self->told->len - 1);
}

/* json-glib begins its messages with “<data>:LINE:POSITION: ”. */
static void
translate_parse_error (const GError *local, GError **error)
{
  guint line;
  guint position;
  int used = 0;
  /* json-glib's scanner cuts quoted text where its buffer ends, even inside a character. */
  g_autofree char *message = g_utf8_make_valid (local->message, -1);
  if (sscanf (message, "<data>:%u:%u: %n", &line, &position, &used) == 2 && used > 0)
    tall_error_set_invalid (error, NULL, "JSON, line %u, position %u: %s", line, position,
                            message + used);
  else
    tall_error_set_invalid (error, NULL, "JSON: %s", message);
}

static gboolean
load (JsonParser *parser, const char *text, gsize len, GError **error)
{
  g_autoptr (GArray) told = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GError) local = NULL;
  Members members = { told, NULL, 0 };
  g_signal_connect (parser, "object-start", G_CALLBACK (on_object_start), &members);
  g_signal_connect (parser, "object-member", G_CALLBACK (on_object_member), &members);
  g_signal_connect (parser, "object-end", G_CALLBACK (on_object_end), &members);

  gboolean loaded = json_parser_load_from_data (parser, text, len, &local);
  g_signal_handlers_disconnect_by_data (parser, &members);
  g_autofree char *duplicate = members.duplicate;
  if (!loaded)
    translate_parse_error (local, error);
  else if (duplicate != NULL)
    tall_error_set_invalid (error, duplicate, "JSON, line %u: the field “%s” is there twice",
                            members.line, duplicate);
  return loaded && duplicate == NULL;
}

/**
 * tall_json_parse:
 *
 * Returns: (transfer full) (nullable): the tree of @text, strictly JSON and without repeated
 *   members; NULL with %TALL_ERROR_INVALID and the place, or with %TALL_ERROR_TOO_LARGE
 */
JsonNode *
tall_json_parse (const char *text, gsize len, GError **error)
{
  if (len > TALL_JSON_MAX_BYTES)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_TOO_LARGE,
                   "a JSON text has at most %d bytes, this one has %" G_GSIZE_FORMAT,
                   TALL_JSON_MAX_BYTES, len);
      return NULL;
    }

  g_autoptr (JsonParser) parser = json_parser_new ();
  if (!tall_json_scan (text, len, error) || !load (parser, text, len, error))
    return NULL;
  return json_parser_steal_root (parser);
}
