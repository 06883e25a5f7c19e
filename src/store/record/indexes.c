/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/record/indexes.h"

#include "base/fail.h"

#define MOST_NAME 32 /* bytes */

/* What a deployment has if it is not said: the index by date, and one by which an order is found
 * without its customer. */
#define USUAL_NAME "number"
#define USUAL "date\n" USUAL_NAME "=order_number"

/* As the deployment record and `init --index` have them. */
static const char *const names[] = {
  [TALL_INDEX_BY_DATE] = "date",
  [TALL_INDEX_NONE] = "none",
};

/**
 * tall_index_kind_get_name:
 *
 * Returns: (transfer none): as the deployment record has it
 */
const char *
tall_index_kind_get_name (TallIndexKind self)
{
  return names[self];
}

/**
 * tall_indexes_print:
 * @indexes: (nullable): as tall_indexes_parse() gives them
 *
 * Returns: (transfer full): all indexes, with @separator between them
 */
char *
tall_indexes_print (TallIndexKind kind, const char *indexes, const char *separator)
{
  g_auto (GStrv) lines = g_strsplit (indexes != NULL ? indexes : "", "\n", 0);
  g_autofree char *rest = g_strjoinv (separator, lines);
  return g_strconcat (names[kind], indexes != NULL ? separator : "", rest, NULL);
}

static void
index_free (gpointer data)
{
  TallIndex *self = data;
  g_free (self->name);
  tall_template_free (self->template);
  g_free (self);
}

static gboolean
has_name (const GPtrArray *indexes, const char *name)
{
  for (guint i = 0; i < indexes->len; i++)
    if (g_str_equal (((const TallIndex *)g_ptr_array_index (indexes, i))->name, name))
      return TRUE;
  return FALSE;
}

static gboolean
check_name (const char *name, const GPtrArray *before, GError **error)
{
  gsize len = strlen (name);
  const char *wrong = NULL;
  if (len == 0 || len > MOST_NAME
      || strspn (name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != len)
    wrong = "has 1 to 32 letters, digits, - and _";
  for (guint i = 0; i < G_N_ELEMENTS (names) && wrong == NULL; i++)
    if (g_str_equal (names[i], name))
      wrong = "is not “date” or “none”, which say what there is";
  if (wrong == NULL && has_name (before, name))
    wrong = "is there once";
  if (wrong == NULL && before->len == TALL_MOST_INDEXES)
    wrong = "cannot be given, as there are 15 before it, which is the most";
  if (wrong != NULL)
    tall_error_set_invalid (error, "index", "Index “%s”: a name %s", name, wrong);
  return wrong == NULL;
}

/* Adds NAME=TEMPLATE. */
static gboolean
add (GPtrArray *indexes, const char *word, GError **error)
{
  const char *equals = strchr (word, '=');
  g_autofree char *name = g_strndup (word, equals != NULL ? (gsize)(equals - word) : 0);
  if (equals == NULL)
    return tall_error_fail_invalid (error, "index",
                                    "There is no index “%s”; choose one of: date, none, or make "
                                    "one by NAME=TEMPLATE, such as item=line.item_number",
                                    word);
  if (!check_name (name, indexes, error))
    return FALSE;
  g_autoptr (TallTemplate) template = tall_template_parse (equals + 1, error);
  if (template == NULL)
    {
      g_prefix_error (error, "Index “%s”: ", name);
      return FALSE;
    }
  TallIndex *index = g_new (TallIndex, 1);
  *index = (TallIndex){ g_steal_pointer (&name), g_steal_pointer (&template) };
  g_ptr_array_add (indexes, index);
  return TRUE;
}

/**
 * tall_indexes_make:
 * @indexes: (nullable): lines NAME=TEMPLATE
 *
 * Returns: (transfer full) (element-type TallIndex): NULL with %TALL_ERROR_INVALID
 */
GPtrArray *
tall_indexes_make (const char *indexes, GError **error)
{
  g_autoptr (GPtrArray) made = g_ptr_array_new_with_free_func (index_free);
  g_auto (GStrv) lines = g_strsplit (indexes != NULL ? indexes : "", "\n", 0);
  for (guint i = 0; lines[i] != NULL; i++)
    if (!add (made, lines[i], error))
      return NULL;
  return g_steal_pointer (&made);
}

/**
 * tall_indexes_parse:
 * @text: (nullable): lines, of which each is `date`, `none` or NAME=TEMPLATE. With `date` or `none`
 *   there is just what they say; without, they come beside the default, and NULL is the default
 *   alone. One of the name `number` takes the place of that of the default
 * @indexes: (out) (transfer none) (nullable): lines NAME=TEMPLATE, for ever; NULL: there are none
 *
 * Returns: FALSE with %TALL_ERROR_INVALID, naming what there is
 */
gboolean
tall_indexes_parse (const char *text, TallIndexKind *kind, const char **indexes, GError **error)
{
  g_auto (GStrv) lines = g_strsplit (text != NULL ? text : USUAL, "\n", 0);
  g_autoptr (GPtrArray) made = g_ptr_array_new_with_free_func (index_free);
  g_autoptr (GString) joined = g_string_new (NULL);
  gboolean said[G_N_ELEMENTS (names)] = { FALSE };
  for (guint i = 0; lines[i] != NULL; i++)
    if (g_str_equal (lines[i], names[TALL_INDEX_BY_DATE]))
      said[TALL_INDEX_BY_DATE] = TRUE;
    else if (g_str_equal (lines[i], names[TALL_INDEX_NONE]))
      said[TALL_INDEX_NONE] = TRUE;
    else if (!add (made, lines[i], error))
      return FALSE;
  if (said[TALL_INDEX_BY_DATE] && said[TALL_INDEX_NONE])
    return tall_error_fail_invalid (error, "index",
                                    "An index by date, and none: choose one of them");
  if (!said[TALL_INDEX_BY_DATE] && !said[TALL_INDEX_NONE])
    {
      const char *usual = has_name (made, USUAL_NAME) ? names[TALL_INDEX_BY_DATE] : USUAL;
      g_autofree char *more = g_strconcat (usual, "\n", text, NULL);
      return tall_indexes_parse (more, kind, indexes, error);
    }
  for (guint i = 0; i < made->len; i++)
    {
      const TallIndex *index = g_ptr_array_index (made, i);
      g_string_append_printf (joined, "%s%s=%s", i > 0 ? "\n" : "", index->name,
                              tall_template_get_text (index->template));
    }
  *kind = said[TALL_INDEX_NONE] ? TALL_INDEX_NONE : TALL_INDEX_BY_DATE;
  *indexes = made->len > 0 ? g_intern_string (joined->str) : NULL;
  return TRUE;
}
