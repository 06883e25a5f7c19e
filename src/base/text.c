/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

static guint64
load_word (const guint8 *bytes)
{
  guint64 word;
  memcpy (&word, bytes, sizeof word);
  return word;
}

/* The last eight bytes of a longer text are looked at together, some of them twice. */
static gboolean
is_ascii (TallSlice bytes)
{
  const gsize size = sizeof (guint64);
  guint64 seen = bytes.len >= size ? load_word (bytes.data + bytes.len - size) : 0;
  gsize i = 0;
  for (; i + size < bytes.len; i += size)
    seen |= load_word (bytes.data + i);
  for (; bytes.len < size && i < bytes.len; i++)
    seen |= bytes.data[i];
  return (seen & G_GUINT64_CONSTANT (0x8080808080808080)) == 0;
}

/**
 * tall_text_is_utf8:
 * @bytes: without NULs
 *
 * As g_utf8_validate_len(), and faster for ASCII.
 */
gboolean
tall_text_is_utf8 (TallSlice bytes)
{
  return is_ascii (bytes) || g_utf8_validate_len ((const char *)bytes.data, bytes.len, NULL);
}

/**
 * tall_text_from_bytes:
 *
 * Returns: (transfer full): the bytes as they are, with `\x00` for each NUL, so that the text does
 *   not end there. For people only: the bytes cannot be recovered from it
 */
char *
tall_text_from_bytes (TallSlice bytes)
{
  GString *text = g_string_sized_new (bytes.len + 1);
  while (bytes.len > 0)
    {
      const guint8 *nul = memchr (bytes.data, '\0', bytes.len);
      gsize n = nul == NULL ? bytes.len : (gsize)(nul - bytes.data);
      g_string_append_len (text, (const char *)bytes.data, (gssize)n);
      if (nul == NULL)
        break;
      g_string_append (text, "\\x00");
      bytes = tall_slice (nul + 1, bytes.len - n - 1);
    }
  return g_string_free (text, FALSE);
}

/* Format controls, such as those that change the direction of writing, and separators of lines and
 * paragraphs. The two joiners are allowed: some languages and emoji need them. */
static gboolean
steers_text (gunichar c)
{
  if (c == 0x200c || c == 0x200d)
    return FALSE;
  GUnicodeType type = g_unichar_type (c);
  return type == G_UNICODE_FORMAT || type == G_UNICODE_LINE_SEPARATOR
         || type == G_UNICODE_PARAGRAPH_SEPARATOR;
}

/**
 * tall_text_clean:
 *
 * Returns: (transfer full): the text with its control characters, which could steer a terminal, as
 *   `\xNN`, its format controls as `\uNNNN`, and with what is not UTF-8 replaced
 */
char *
tall_text_clean (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  g_autoptr (GString) clean = g_string_sized_new (strlen (valid));
  for (const char *at = valid; *at != '\0'; at = g_utf8_next_char (at))
    {
      gunichar c = g_utf8_get_char (at);
      if (g_unichar_iscntrl (c))
        g_string_append_printf (clean, "\\x%02x", c);
      else if (steers_text (c))
        g_string_append_printf (clean, "\\u%04x", c);
      else
        g_string_append_unichar (clean, c);
    }
  return g_string_free (g_steal_pointer (&clean), FALSE);
}

/**
 * tall_text_cut:
 * @max: bytes, at least four
 *
 * Returns: (transfer full): a text that a stranger has chosen, without what is not UTF-8; of a
 * longer one the beginning and `…`
 */
char *
tall_text_cut (const char *text, gsize max)
{
  gsize len = strnlen (text, max + 1);
  if (len <= max)
    return g_utf8_make_valid (text, (gssize)len);
  const char *end = g_utf8_find_prev_char (text, text + max + 1);
  g_autofree char *begin =
      g_utf8_make_valid (text, end != NULL ? (gssize)(end - text) : (gssize)max);
  return g_strconcat (begin, "…", NULL);
}

static void
append_json_escape (GString *json, gunichar c)
{
  if (c < 0x10000)
    g_string_append_printf (json, "\\u%04x", c);
  else
    g_string_append_printf (json, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10),
                            0xdc00 + ((c - 0x10000) & 0x3ff));
}

/**
 * tall_text_escape_json:
 * @json: valid JSON
 *
 * Returns: (transfer full): the same JSON, with what could steer a terminal escaped as `\uNNNN`;
 *   white space between values stays
 */
char *
tall_text_escape_json (const char *json)
{
  g_autoptr (GString) escaped = g_string_sized_new (strlen (json));
  for (const char *at = json; *at != '\0'; at = g_utf8_next_char (at))
    {
      gunichar c = g_utf8_get_char (at);
      if (steers_text (c) || (g_unichar_iscntrl (c) && !g_ascii_isspace ((char)MIN (c, 0x7f))))
        append_json_escape (escaped, c);
      else
        g_string_append_unichar (escaped, c);
    }
  return g_string_free (g_steal_pointer (&escaped), FALSE);
}
