/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Prints the table of calls with all structs that it needs, for check_idl.py:
 *
 *   call NAME RETURNS           then its arguments
 *   struct NAME                 then its fields
 *     NUMBER TYPE NAME          `-` if the table has no name for it
 */
#include "service/calls/calls.h"

static char *
name_type (const TallStructField *field)
{
  static const char *const names[TALL_N_KINDS] = {
    [TALL_KIND_BOOL] = "bool",
    [TALL_KIND_I32] = "i32",
    [TALL_KIND_I64] = "i64",
    [TALL_KIND_TEXT] = "string",
    [TALL_KIND_BYTES] = "binary",
    [TALL_KIND_DECIMAL] = "Decimal",
    [TALL_KIND_TEXTS] = "list<string>",
    [TALL_KIND_PAIRS] = "map<string,string>",
  };

  if (field->kind == TALL_KIND_STRUCT)
    return g_strdup (field->type->name);
  if (field->kind == TALL_KIND_STRUCTS || field->kind == TALL_KIND_OBJECTS)
    return g_strdup_printf ("list<%s>", field->type->name);
  g_assert_nonnull (names[field->kind]);
  return g_strdup (names[field->kind]);
}

static void
print_fields (const TallStructType *type)
{
  for (guint i = 0; i < type->n_fields; i++)
    {
      const TallStructField *field = &type->fields[i];
      g_autofree char *name = name_type (field);
      g_print ("  %d %s %s\n", field->id, name, field->name != NULL ? field->name : "-");
    }
}

/* Prints the structs within a struct, each once. */
static void
print_structs (GHashTable *seen, const TallStructType *type)
{
  for (guint i = 0; i < type->n_fields; i++)
    {
      const TallStructType *inner = type->fields[i].type;
      if (inner == NULL || type->fields[i].kind == TALL_KIND_PAIRS
          || !g_hash_table_add (seen, (gpointer)inner))
        continue;
      g_print ("struct %s\n", inner->name);
      print_fields (inner);
      print_structs (seen, inner);
    }
}

int
main (void)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_auto (GStrv) names = tall_calls_list_names ();

  for (guint i = 0; names[i] != NULL; i++)
    {
      const TallIdlCall *call = tall_calls_find (names[i]);
      const TallStructField *first = &call->result->fields[0];
      g_print ("call %s %s\n", call->name, first->id == 0 ? first->type->name : "void");
      print_fields (call->args);
      print_structs (seen, call->args);
      print_structs (seen, call->result);
    }
  return 0;
}
