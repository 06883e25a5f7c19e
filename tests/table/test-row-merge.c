/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "table/rocksdb/row.h"
#include "tall-must.h"

typedef struct
{
  TallBatch *batch; /* its arena keeps the rows */
  TallStoredRow row;
} Fixture;

static void
set_up (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  self->batch = tall_batch_new ();
  self->row = (TallStoredRow){ 0 };
}

static void
tear_down (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  tall_batch_free (self->batch);
}

static TallMutation *
start (Fixture *self)
{
  return tall_batch_add (self->batch, "orders", tall_slice_str ("row"));
}

static void
put (Fixture *self, TallMutation *mutation, const char *name, gint64 timestamp, const char *value)
{
  tall_mutation_put (self->batch, mutation, tall_slice_str (name), timestamp,
                     tall_slice_str (value));
}

static void
merge (Fixture *self, const TallMutation *mutation, TallRetention retention)
{
  TallStoredRow merged;
  must (tall_row_merge (self->batch->arena, &self->row, mutation, retention, &merged, &error));
  self->row = merged;
}

/* "<=10 !12 s@20=a": markers, then cells. */
static void
expect (Fixture *self, const char *text)
{
  g_autoptr (GString) got = g_string_new (NULL);
  if (self->row.up_to > 0)
    g_string_append_printf (got, " <=%" G_GINT64_FORMAT, self->row.up_to);
  for (guint i = 0; i < self->row.n_exact; i++)
    g_string_append_printf (got, " !%" G_GINT64_FORMAT, self->row.exact[i]);
  for (guint i = 0; i < self->row.n_cells; i++)
    {
      const TallCell *cell = &self->row.cells[i];
      g_string_append_printf (got, " %.*s@%" G_GINT64_FORMAT "=%.*s", (int)cell->qualifier.len,
                              cell->qualifier.data, cell->timestamp, (int)cell->value.len,
                              cell->value.data);
    }
  g_assert_cmpstr (got->len > 0 ? got->str + 1 : "", ==, text);
}

static void
test_sorts (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  TallMutation *first = start (self);
  put (self, first, "b", 10, "1");
  put (self, first, "a", 10, "2");
  put (self, first, "a", 20, "3");
  put (self, first, "a", 10, "4"); /* the same cell again: the last one wins */
  merge (self, first, (TallRetention){ 0 });
  expect (self, "a@20=3 a@10=4 b@10=1");

  TallMutation *second = start (self);
  put (self, second, "a", 15, "5");
  put (self, second, "a", 10, "6");
  put (self, second, "c", 1, "7");
  merge (self, second, (TallRetention){ 0 });
  expect (self, "a@20=3 a@15=5 a@10=6 b@10=1 c@1=7");
}

/* Markers are folded, and cells under them are not stored. */
static void
test_markers (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  TallMutation *first = start (self);
  for (gint64 timestamp = 1; timestamp <= 6; timestamp++)
    put (self, first, "a", timestamp, "v");
  merge (self, first, (TallRetention){ 0 });

  TallMutation *second = start (self);
  tall_mutation_delete_at (self->batch, second, 5);
  tall_mutation_delete_at (self->batch, second, 3);
  tall_mutation_delete_at (self->batch, second, 5);
  merge (self, second, (TallRetention){ 0 });
  expect (self, "!3 !5 a@6=v a@4=v a@2=v a@1=v");

  TallMutation *third = start (self);
  tall_mutation_delete_up_to (self->batch, third, 3);
  put (self, third, "a", 5, "masked");
  merge (self, third, (TallRetention){ 0 });
  expect (self, "<=3 !5 a@6=v a@4=v");

  TallMutation *fourth = start (self);
  tall_mutation_delete_up_to (self->batch, fourth, 2);
  put (self, fourth, "a", 3, "masked");
  merge (self, fourth, (TallRetention){ 0 });
  expect (self, "<=3 !5 a@6=v a@4=v");

  TallMutation *fifth = start (self);
  tall_mutation_delete_up_to (self->batch, fifth, 9);
  merge (self, fifth, (TallRetention){ 0 });
  expect (self, "<=9");
}

static void
test_retention (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  TallMutation *first = start (self);
  for (gint64 timestamp = 1; timestamp <= 5; timestamp++)
    {
      put (self, first, "a", timestamp, "v");
      put (self, first, "b", timestamp, "v");
    }
  merge (self, first, (TallRetention){ .max_versions = 3 });
  expect (self, "a@5=v a@4=v a@3=v b@5=v b@4=v b@3=v");

  /* What has expired goes with the next write. */
  TallMutation *second = start (self);
  put (self, second, "b", 9, "w");
  merge (self, second, (TallRetention){ .max_versions = 2, .oldest = 5 });
  expect (self, "a@5=v b@9=w b@5=v");

  /* A version that is deleted does not push one out. */
  TallMutation *third = start (self);
  tall_mutation_delete_at (self->batch, third, 9);
  put (self, third, "b", 1, "x");
  merge (self, third, (TallRetention){ .max_versions = 2 });
  expect (self, "!9 a@5=v b@5=v b@1=x");
}

static void
test_too_large (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  /* Only the length is looked at. */
  TallMutation *mutation = start (self);
  tall_mutation_put (self->batch, mutation, tall_slice_str ("a"), 1,
                     tall_slice ("", TALL_ROW_MAX_SIZE));
  TallStoredRow merged;
  must_fail (tall_row_merge (self->batch->arena, &self->row, mutation, (TallRetention){ 0 },
                             &merged, &error),
             TALL_ERROR_TOO_LARGE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/table/row-merge/sorts", Fixture, NULL, set_up, test_sorts, tear_down);
  g_test_add ("/table/row-merge/markers", Fixture, NULL, set_up, test_markers, tear_down);
  g_test_add ("/table/row-merge/retention", Fixture, NULL, set_up, test_retention, tear_down);
  g_test_add ("/table/row-merge/too-large", Fixture, NULL, set_up, test_too_large, tear_down);
  return g_test_run ();
}
