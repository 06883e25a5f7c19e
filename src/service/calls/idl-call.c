/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/calls/idl-call.h"

#include <string.h>

/* Finds a field of a struct, or of a struct within it. @object: (inout): where the struct is, then
 * where that with the field is; NULL: absent. */
static const TallStructField *
find_field (const TallStructType *type, const char *name, gsize len, gconstpointer *object)
{
  for (guint i = 0; i < type->n_fields; i++)
    {
      const TallStructField *field = &type->fields[i];
      if (field->name != NULL && strlen (field->name) == len
          && memcmp (field->name, name, len) == 0)
        return field;
      if (field->kind != TALL_KIND_STRUCT)
        continue;
      gconstpointer inner =
          *object != NULL ? G_STRUCT_MEMBER (gconstpointer, *object, field->offset) : NULL;
      const TallStructField *found = find_field (field->type, name, len, &inner);
      if (found == NULL)
        continue;
      *object = inner;
      return found;
    }
  return NULL;
}

/* What is absent is shown as what it is taken for: an empty text, a list without elements. */
static void
append_field (GString *text, const TallStructField *field, gconstpointer object)
{
  if (field->kind == TALL_KIND_STRUCTS)
    g_string_append_printf (text, "%u",
                            object != NULL ? G_STRUCT_MEMBER (guint, object, field->beside) : 0);
  else if (object != NULL && G_STRUCT_MEMBER (const char *, object, field->offset) != NULL)
    g_string_append (text, G_STRUCT_MEMBER (const char *, object, field->offset));
}

static char *
fill_in (const char *operation, const TallStructType *type, gconstpointer object)
{
  GString *text = g_string_new (NULL);

  for (const char *brace; (brace = strchr (operation, '{')) != NULL;)
    {
      gsize len = strcspn (brace + 1, "}");
      gconstpointer holder = object;
      const TallStructField *field = find_field (type, brace + 1, len, &holder);
      g_assert (field != NULL);
      g_string_append_len (text, operation, brace - operation);
      append_field (text, field, holder);
      operation = brace + len + 2;
    }
  g_string_append (text, operation);
  return g_string_free (text, FALSE);
}

/**
 * tall_idl_call_describe:
 *
 * Returns: (transfer full): what the call does, as the beginning of messages, such as
 *   `Storing order 10248 of VINET`
 */
char *
tall_idl_call_describe (const TallIdlCall *self, const TallIdlArgs *args)
{
  return fill_in (self->operation, self->args, args);
}

/**
 * tall_idl_call_describe_item:
 * @asked: one of the things that a call on many is about
 *
 * Returns: (transfer full): the same of one of many
 */
char *
tall_idl_call_describe_item (const TallIdlCall *self, gconstpointer asked)
{
  return fill_in (self->item_operation, self->asked, asked);
}

/**
 * tall_idl_call_get_limits:
 *
 * Returns: how much a call of that kind, or its reply, may hold
 */
const TallStructLimits *
tall_idl_call_get_limits (const TallIdlCall *self)
{
  return self->item != NULL ? &tall_idl_many_limits : &tall_idl_limits;
}
