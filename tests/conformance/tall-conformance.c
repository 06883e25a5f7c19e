/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-conformance-private.h"
#include "tall-must.h"

typedef struct
{
  TallConformance *self;
  const TallConformanceCase *this_case;
} Test;

TallSlice
row_key_bytes (TallConformance *self, TallArena *arena, TallSlice row)
{
  guint8 *key = tall_arena_alloc (arena, self->rows->len + row.len);
  memcpy (key, self->rows->str, self->rows->len);
  if (row.len > 0)
    memcpy (key + self->rows->len, row.data, row.len);
  return tall_slice (key, self->rows->len + row.len);
}

TallSlice
row_key (TallConformance *self, TallArena *arena, const char *row)
{
  return row_key_bytes (self, arena, tall_slice_str (row));
}

static void
add_change (TallBatch *batch, TallMutation *mutation, const char *text)
{
  if (g_str_has_prefix (text, "<="))
    {
      tall_mutation_delete_up_to (batch, mutation, g_ascii_strtoll (text + 2, NULL, 10));
      return;
    }
  if (text[0] == '!')
    {
      tall_mutation_delete_at (batch, mutation, g_ascii_strtoll (text + 1, NULL, 10));
      return;
    }

  const char *at = strchr (text, '@');
  g_assert_nonnull (at);
  char *end = NULL;
  gint64 timestamp = g_ascii_strtoll (at + 1, &end, 10);
  g_assert_cmpint (*end, ==, '=');
  const char *qualifier = tall_arena_strndup (batch->arena, text, (gsize)(at - text));
  const char *value = tall_arena_strdup (batch->arena, end + 1);
  tall_mutation_put (batch, mutation, tall_slice_str (qualifier), timestamp,
                     tall_slice_str (value));
}

TallMutation *
add_changes (TallConformance *self,
             TallBatch *batch,
             const char *table,
             const char *row,
             const char *changes)
{
  TallMutation *mutation = tall_batch_add (batch, table, row_key (self, batch->arena, row));
  g_auto (GStrv) texts = g_strsplit (changes, " ", -1);
  for (guint i = 0; texts[i] != NULL; i++)
    add_change (batch, mutation, texts[i]);
  return mutation;
}

void
change (TallConformance *self, const char *row, const char *changes)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = add_changes (self, batch, SHARED, row, changes);
  must (tall_table_apply (self->table, &mutation, 1, TALL_DURABLE, TALL_NO_DEADLINE, &error));
}

gboolean
change_if (TallConformance *self,
           const char *row,
           const char *qualifier,
           const char *expected,
           const char *changes)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = add_changes (self, batch, SHARED, row, changes);
  TallSlice value = tall_slice_str (expected != NULL ? expected : "");
  gboolean matched = FALSE;
  must (tall_table_apply_if (self->table,
                             &(TallConditionalWrite){ .mutations = &mutation,
                                                      .n = 1,
                                                      .qualifier = tall_slice_str (qualifier),
                                                      .expected = expected != NULL ? &value : NULL,
                                                      .durability = TALL_DURABLE,
                                                      .deadline = TALL_NO_DEADLINE },
                             &matched, &error));
  return matched;
}

TallReadResult *
run_plan (TallConformance *self, const TallReadPlan *plan)
{
  g_autoptr (GError) error = NULL;
  TallReadResult *result = tall_table_read (self->table, plan, TALL_NO_DEADLINE, &error);
  g_assert_no_error (error);
  g_assert_nonnull (result);
  g_assert_cmpuint (result->n_results, ==, plan->reads->len);
  return result;
}

TallRead *
add_get (TallConformance *self, TallReadPlan *plan, const char *row)
{
  return tall_read_plan_add_get (plan, SHARED, row_key (self, plan->arena, row));
}

TallRead *
add_scan (TallConformance *self, TallReadPlan *plan, const char *start, const char *stop)
{
  return tall_read_plan_add_scan (plan, SHARED, row_key (self, plan->arena, start),
                                  row_key (self, plan->arena, stop));
}

static void
append_row (TallConformance *self, GString *text, const TallRow *row)
{
  TallSlice prefix = tall_slice (self->rows->str, self->rows->len);
  TallSlice rest = row->key;
  if (tall_slice_has_prefix (row->key, prefix))
    rest = tall_slice (row->key.data + prefix.len, row->key.len - prefix.len);
  g_autofree char *key = tall_slice_to_debug (rest);
  g_string_append_printf (text, "%s%s:", text->len > 0 ? "; " : "", key);
  for (guint i = 0; i < row->n_cells; i++)
    {
      const TallCell *cell = &row->cells[i];
      g_autofree char *qualifier = tall_slice_to_debug (cell->qualifier);
      g_autofree char *value = tall_slice_to_debug (cell->value);
      g_string_append_printf (text, " %s@%" G_GINT64_FORMAT "=%s", qualifier, cell->timestamp,
                              value);
    }
}

char *
rows_to_text (TallConformance *self, const TallRows *rows)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < rows->n_rows; i++)
    append_row (self, text, &rows->rows[i]);
  return g_string_free (text, FALSE);
}

void
expect_read (TallConformance *self, const TallReadPlan *plan, const char *rows)
{
  g_autoptr (TallReadResult) result = run_plan (self, plan);
  g_assert_cmpuint (result->n_results, ==, 1);
  g_autofree char *text = rows_to_text (self, &result->results[0]);
  g_assert_cmpstr (text, ==, rows);
}

void
expect_row (TallConformance *self, const char *row, const char *cells)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  add_get (self, plan, row);
  g_autofree char *expected =
      cells[0] == '\0' ? g_strdup ("") : g_strdup_printf ("%s: %s", row, cells);
  expect_read (self, plan, expected);
}

void
create_table (TallConformance *self, const char *name)
{
  g_autoptr (TallTableSpec) spec = tall_table_spec_new (name);
  must (tall_table_create_table (self->table, spec, TALL_NO_DEADLINE, &error));
}

void
drop_table (TallConformance *self, const char *name)
{
  must (tall_table_drop_table (self->table, name, TALL_NO_DEADLINE, &error));
}

void
set_access (TallConformance *self, const char *name, TallTableAccess access, const char *seal)
{
  must (tall_table_set_access (self->table, name, access, seal, TALL_NO_DEADLINE, &error));
}

static void
run_test (gconstpointer data)
{
  const Test *test = data;
  TallConformance *self = test->self;
  if (self->table == NULL)
    {
      self->table = self->backend.open (self->name, self->backend.data);
      create_table (self, SHARED);
      create_table (self, OTHER);
    }
  g_string_printf (self->rows, "%s/", test->this_case->path);
  test->this_case->run (self);
}

static void
add_cases (TallConformance *self, const TallConformanceCase *cases)
{
  for (guint i = 0; cases[i].path != NULL; i++)
    {
      Test *test = g_new (Test, 1);
      *test = (Test){ self, &cases[i] };
      g_autofree char *path = g_strdup_printf ("%s/%s", self->backend.prefix, cases[i].path);
      g_test_add_data_func_full (path, test, run_test, g_free);
    }
}

TallConformance *
tall_conformance_add (const TallConformanceBackend *backend)
{
  TallConformance *self = g_new0 (TallConformance, 1);
  self->backend = *backend;
  self->name = g_strdup_printf ("conformance-%08x", g_random_int ());
  self->rows = g_string_new (NULL);
  add_cases (self, tall_conformance_row_cases);
  add_cases (self, tall_conformance_scan_cases);
  add_cases (self, tall_conformance_condition_cases);
  add_cases (self, tall_conformance_together_cases);
  add_cases (self, tall_conformance_table_cases);
  add_cases (self, tall_conformance_random_cases);
  if (!backend->no_access)
    {
      add_cases (self, tall_conformance_access_cases);
      add_cases (self, tall_conformance_fence_cases);
    }
  return self;
}

void
tall_conformance_free (TallConformance *self)
{
  if (self->table != NULL)
    {
      g_autoptr (GError) error = NULL;
      gboolean dropped = tall_table_drop_table (self->table, SHARED, TALL_NO_DEADLINE, &error)
                         && tall_table_drop_table (self->table, OTHER, TALL_NO_DEADLINE, &error);
      g_assert_no_error (error);
      g_assert_true (dropped);
    }
  g_clear_object (&self->table);
  g_string_free (self->rows, TRUE);
  g_free (self->name);
  g_free (self);
}
