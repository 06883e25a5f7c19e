/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/csv/composite.h"

#include <string.h>

typedef struct
{
  char *text;  /* NULL: the part is a column */
  gint column; /* from 0; -1: the part is a text */
} Part;

struct _TallCsvComposite
{
  GArray *parts; /* of Part */
};

static void
part_clear (gpointer data)
{
  g_free (((Part *)data)->text);
}

/* The position of a column, from 0; -1: there is none of that name. */
gint
tall_csv_find_column (const char *const *columns, const char *name)
{
  for (gint i = 0; columns[i] != NULL; i++)
    if (g_str_equal (columns[i], name))
      return i;
  return -1;
}

/* The end of the part that begins at @at: a plus outside quotes, or the NUL. */
static const char *
find_part_end (const char *at)
{
  gboolean quoted = FALSE;
  for (; *at != '\0' && (quoted || *at != '+'); at++)
    if (*at == '"')
      quoted = !quoted;
  return at;
}

static gboolean
add_part (TallCsvComposite *self, const char *token, const char *const *columns)
{
  gsize len = strlen (token);
  Part part = { NULL, -1 };
  if (len >= 2 && token[0] == '"' && strchr (token + 1, '"') == token + len - 1)
    part.text = g_strndup (token + 1, len - 2);
  else
    part.column = tall_csv_find_column (columns, token);
  g_array_append_val (self->parts, part);
  return part.text != NULL || part.column >= 0;
}

/**
 * tall_csv_composite_new:
 * @expression: columns, and texts in quotes, with `+` between them
 * @columns: the names in the file's header, NULL-terminated
 * @missing: (out) (transfer full) (optional): the part that is neither a text nor a column
 *
 * Returns: (transfer full) (nullable): NULL if there is such a part
 */
TallCsvComposite *
tall_csv_composite_new (const char *expression, const char *const *columns, char **missing)
{
  g_autoptr (TallCsvComposite) self = g_new0 (TallCsvComposite, 1);
  self->parts = g_array_new (FALSE, FALSE, sizeof (Part));
  g_array_set_clear_func (self->parts, part_clear);
  for (const char *at = expression; at != NULL;)
    {
      const char *end = find_part_end (at);
      g_autofree char *token = g_strstrip (g_strndup (at, (gsize)(end - at)));
      if (!add_part (self, token, columns))
        {
          if (missing != NULL)
            *missing = g_steal_pointer (&token);
          return NULL;
        }
      at = *end == '+' ? end + 1 : NULL;
    }
  return g_steal_pointer (&self);
}

void
tall_csv_composite_free (TallCsvComposite *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->parts);
  g_free (self);
}

/* Whether a column from @i on is not empty, or there is none. */
static gboolean
goes_on (const TallCsvComposite *self, guint i, const char *const *fields)
{
  gboolean has_column = FALSE;
  for (; i < self->parts->len; i++)
    {
      const Part *part = &g_array_index (self->parts, Part, i);
      if (part->column >= 0 && *fields[part->column] != '\0')
        return TRUE;
      has_column |= part->column >= 0;
    }
  return !has_column;
}

/**
 * tall_csv_composite_write:
 * @fields: of a row, as many as there are columns
 * @text: gets the value
 *
 * If all columns are empty, nothing is written. A text is left out after an empty column, and where
 * only empty columns come after it.
 */
void
tall_csv_composite_write (const TallCsvComposite *self, const char *const *fields, GString *text)
{
  gboolean after_empty = FALSE;
  if (!goes_on (self, 0, fields))
    return;
  for (guint i = 0; i < self->parts->len; i++)
    {
      const Part *part = &g_array_index (self->parts, Part, i);
      if (part->column >= 0)
        {
          g_string_append (text, fields[part->column]);
          after_empty = *fields[part->column] == '\0';
        }
      else if (!after_empty && goes_on (self, i, fields))
        g_string_append (text, part->text);
    }
}
