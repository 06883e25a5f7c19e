/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/fail.h"
#include "model/json.h"
#include "tall-limits.h"

#include <stdio.h>

/* json-glib takes more than JSON (comments, octal numbers, several values, words of its own) and
 * descends without a limit. This pass accepts only JSON's own tokens (RFC 8259), up to limits of
 * depth and number; json-glib then checks their grammar. */
typedef struct
{
  const char *at;
  const char *end;
  const char *line_start;
  guint line; /* from 1 */
  guint depth;
  guint containers;
  guint values;
  gboolean closed; /* the one object has ended */
  GError **error;
} Scan;

static gboolean
scan_fail (const Scan *self, const char *what)
{
  glong position = g_utf8_strlen (self->line_start, self->at - self->line_start) + 1;
  return tall_error_fail_invalid (self->error, NULL, "JSON, line %u, position %ld: %s", self->line,
                                  position, what);
}

static gboolean
scan_fail_size (const Scan *self, const char *what, guint limit)
{
  return tall_error_fail (self->error, TALL_ERROR_TOO_LARGE,
                          "JSON, line %u: more than %u %s; an order has at most %d lines, "
                          "locations and adjustments together: split it",
                          self->line, limit, what, TALL_MAX_LINES_AND_LOCATIONS);
}

static gboolean
is_delimiter (const Scan *self)
{
  return self->at == self->end || strchr (" \t\r\n,]}:", *self->at) != NULL;
}

/* Returns: the 16-bit unit of `\uXXXX` at @at, -1 if there is none */
static int
peek_unit (const Scan *self, const char *at)
{
  int unit = 0;
  if (self->end - at < 6 || at[0] != '\\' || at[1] != 'u')
    return -1;
  for (guint i = 2; i < 6; i++)
    {
      int digit = g_ascii_xdigit_value (at[i]);
      if (digit < 0)
        return -1;
      unit = unit << 4 | digit;
    }
  return unit;
}

static gboolean
scan_unicode_escape (Scan *self)
{
  int unit = peek_unit (self, self->at);
  if (unit < 0)
    return scan_fail (self, "\\u needs four hexadecimal digits");
  if (unit == 0)
    return scan_fail (self, "a text must not hold the character \\u0000");
  if ((unit & 0xf800) != 0xd800)
    {
      self->at += 6;
      return TRUE;
    }

  int low = peek_unit (self, self->at + 6);
  if ((unit & 0xfc00) != 0xd800 || low < 0 || (low & 0xfc00) != 0xdc00)
    return scan_fail (self, "half of a surrogate pair");
  self->at += 12;
  return TRUE;
}

static gboolean
scan_escape (Scan *self)
{
  if (self->end - self->at < 2)
    return scan_fail (self, "the text does not end");
  if (self->at[1] == 'u')
    return scan_unicode_escape (self);
  if (strchr ("\"\\/bfnrt", self->at[1]) == NULL)
    return scan_fail (self, "unknown escape");
  self->at += 2;
  return TRUE;
}

static gboolean
scan_string (Scan *self)
{
  self->at++;
  while (self->at < self->end && *self->at != '"')
    {
      if ((guint8)*self->at < 0x20)
        return scan_fail (self, "a control character in a text: write it as \\n, \\t or \\u00XX");
      if (*self->at != '\\')
        self->at++;
      else if (!scan_escape (self))
        return FALSE;
    }
  if (self->at == self->end)
    return scan_fail (self, "the text does not end");
  self->at++;
  return TRUE;
}

static guint
skip_digits (Scan *self)
{
  const char *start = self->at;
  while (self->at < self->end && g_ascii_isdigit (*self->at))
    self->at++;
  return self->at - start;
}

static gboolean
skip_one_of (Scan *self, const char *characters)
{
  if (self->at == self->end || strchr (characters, *self->at) == NULL)
    return FALSE;
  self->at++;
  return TRUE;
}

static gboolean
scan_number (Scan *self)
{
  skip_one_of (self, "-");
  gboolean zero = self->at < self->end && *self->at == '0';
  guint digits = skip_digits (self);
  if (digits == 0 || (zero && digits > 1))
    return scan_fail (self, "not a JSON number");
  if (digits > 18)
    return scan_fail (self, "the number is too large");
  if (skip_one_of (self, ".") && skip_digits (self) == 0)
    return scan_fail (self, "not a JSON number");
  if (skip_one_of (self, "eE"))
    {
      skip_one_of (self, "+-");
      if (skip_digits (self) == 0)
        return scan_fail (self, "not a JSON number");
    }
  return is_delimiter (self) || scan_fail (self, "not a JSON number");
}

static gboolean
scan_word (Scan *self)
{
  static const char *const words[] = { "true", "false", "null" };
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    {
      gsize len = strlen (words[i]);
      if ((gsize)(self->end - self->at) < len || memcmp (self->at, words[i], len) != 0)
        continue;
      self->at += len;
      if (is_delimiter (self))
        return TRUE;
      self->at -= len;
    }
  return scan_fail (self, "unexpected character");
}

static gboolean
scan_open (Scan *self)
{
  if (++self->depth > TALL_JSON_MAX_DEPTH)
    return scan_fail (self, "objects and lists are nested too deeply");
  if (++self->containers > TALL_JSON_MAX_CONTAINERS)
    return scan_fail_size (self, "objects and lists", TALL_JSON_MAX_CONTAINERS);
  self->at++;
  return TRUE;
}

static gboolean
scan_close (Scan *self)
{
  self->closed = --self->depth == 0;
  self->at++;
  return TRUE;
}

static gboolean
scan_value (Scan *self)
{
  if (++self->values > TALL_JSON_MAX_VALUES)
    return scan_fail_size (self, "texts and numbers", TALL_JSON_MAX_VALUES);
  if (*self->at == '"')
    return scan_string (self);
  if (*self->at == '-' || g_ascii_isdigit (*self->at))
    return scan_number (self);
  return scan_word (self);
}

static gboolean
scan_token (Scan *self)
{
  if (self->closed)
    return scan_fail (self, "something follows the object");
  if (self->depth == 0 && *self->at != '{')
    return scan_fail (self, "one JSON object, { … }, is expected");

  switch (*self->at)
    {
    case '{':
    case '[':
      return scan_open (self);
    case '}':
    case ']':
      return scan_close (self);
    case ',':
    case ':':
      self->at++;
      return TRUE;
    default:
      return scan_value (self);
    }
}

static gboolean
scan_encoding (Scan *self)
{
  const char *bad;
  if (g_utf8_validate_len (self->at, self->end - self->at, &bad))
    return TRUE;

  gsize before = bad - self->at;
  return tall_error_fail_invalid (
      self->error, NULL, "JSON must be UTF-8 without NUL bytes: wrong at byte %" G_GSIZE_FORMAT,
      before + 1);
}

/* Checks that @text is UTF-8 and consists of JSON's tokens only, in one object, and that its depth
 * and size are within the limits for json-glib. */
static gboolean
json_scan (const char *text, gsize len, GError **error)
{
  Scan scan = { .at = text, .end = text + len, .line_start = text, .line = 1, .error = error };
  if (!scan_encoding (&scan))
    return FALSE;

  while (scan.at < scan.end)
    {
      gboolean newline = *scan.at == '\n';
      if (strchr (" \t\r\n", *scan.at) == NULL)
        {
          if (!scan_token (&scan))
            return FALSE;
          continue;
        }
      scan.at++;
      if (newline)
        {
          scan.line++;
          scan.line_start = scan.at;
        }
    }
  return scan.closed || scan_fail (&scan, "the text ends before its object does");
}

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
  if (!json_scan (text, len, error) || !load (parser, text, len, error))
    return NULL;
  return json_parser_steal_root (parser);
}
