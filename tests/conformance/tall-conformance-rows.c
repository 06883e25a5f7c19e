/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-conformance-private.h"
#include "tall-must.h"

static void
test_absent (TallConformance *self)
{
  expect_row (self, "a", "");

  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  add_scan (self, plan, "a", "z");
  expect_read (self, plan, "");
}

static void
test_put (TallConformance *self)
{
  change (self, "a", "y@10=Y x@10=X x@30=X3 x@20=X2");
  expect_row (self, "a", "x@30=X3 x@20=X2 x@10=X y@10=Y");
  change (self, "a", "x@25=between w@1=first");
  expect_row (self, "a", "w@1=first x@30=X3 x@25=between x@20=X2 x@10=X y@10=Y");
}

static void
test_same_timestamp (TallConformance *self)
{
  change (self, "a", "x@10=first y@10=other");
  change (self, "a", "x@10=second");
  change (self, "a", "x@10=third");
  expect_row (self, "a", "x@10=third y@10=other");
}

static void
test_repeat (TallConformance *self)
{
  for (guint i = 0; i < 3; i++)
    change (self, "a", "x@10=old x@20=new <=5 !7");
  expect_row (self, "a", "x@20=new x@10=old");
}

static void
test_delete_up_to (TallConformance *self)
{
  change (self, "a", "x@10=1 x@20=2 x@30=3 y@20=2");
  change (self, "a", "<=20");
  expect_row (self, "a", "x@30=3");
  change (self, "a", "x@19=late x@20=late y@20=late z@5=late z@21=new");
  expect_row (self, "a", "x@30=3 z@21=new");

  /* An older marker changes nothing. */
  change (self, "a", "<=8");
  change (self, "a", "x@15=late");
  expect_row (self, "a", "x@30=3 z@21=new");
}

static void
test_delete_at (TallConformance *self)
{
  change (self, "a", "x@10=1 x@20=2 x@30=3 y@20=2");
  change (self, "a", "!20");
  expect_row (self, "a", "x@30=3 x@10=1");
  change (self, "a", "y@20=late y@19=new y@21=new");
  expect_row (self, "a", "x@30=3 x@10=1 y@21=new y@19=new");
}

static void
test_deletes_together (TallConformance *self)
{
  change (self, "a", "x@1=a x@2=b x@3=c x@4=d x@5=e x@6=f");
  change (self, "a", "!4");
  change (self, "a", "!6 !2 !6");
  expect_row (self, "a", "x@5=e x@3=c x@1=a");
  change (self, "a", "<=4");
  expect_row (self, "a", "x@5=e");
  change (self, "a", "x@2=no x@3=no x@4=no x@6=no x@7=yes");
  expect_row (self, "a", "x@7=yes x@5=e");
}

static void
test_delete_absent (TallConformance *self)
{
  change (self, "a", "<=10");
  change (self, "b", "!10");
  expect_row (self, "a", "");
  change (self, "a", "x@10=no");
  change (self, "b", "x@10=no");
  expect_row (self, "a", "");
  expect_row (self, "b", "");
  change (self, "a", "x@11=yes");
  change (self, "b", "x@9=yes");
  expect_row (self, "a", "x@11=yes");
  expect_row (self, "b", "x@9=yes");
}

/* What a delete has left hides older puts that come later. */
static void
test_hidden (TallConformance *self)
{
  change (self, "up-to", "<=10");
  change (self, "up-to", "x@9=hidden");
  change (self, "exact", "!9");
  change (self, "exact", "x@9=hidden");
  expect_row (self, "up-to", "");
  expect_row (self, "exact", "");
}

static void
test_delete_and_put (TallConformance *self)
{
  change (self, "a", "x@10=old y@10=old");
  change (self, "a", "x@20=new <=10");
  expect_row (self, "a", "x@20=new");
  change (self, "b", "x@30=new !20 <=10");
  expect_row (self, "b", "x@30=new");
}

static void
test_versions (TallConformance *self)
{
  static const struct
  {
    guint max_versions;
    gint64 min_timestamp;
    gint64 max_timestamp;
    const char *cells;
  } cases[] = {
    { 0, 0, G_MAXINT64, "a: x@40=4 x@30=3 x@20=2 x@10=1 y@20=Y" },
    { 1, 0, G_MAXINT64, "a: x@40=4 y@20=Y" },
    { 2, 0, G_MAXINT64, "a: x@40=4 x@30=3 y@20=Y" },
    { 0, 20, 40, "a: x@30=3 x@20=2 y@20=Y" },
    { 1, 20, 40, "a: x@30=3 y@20=Y" }, /* counted within the range */
    { 0, 20, 21, "a: x@20=2 y@20=Y" },
    { 0, 30, 31, "a: x@30=3" },
    { 0, 31, 40, "" },
    { 0, 41, G_MAXINT64, "" },
    { 1, 0, 20, "a: x@10=1" },
  };

  change (self, "a", "x@10=1 x@20=2 x@30=3 x@40=4 y@20=Y");
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
      TallRead *read = add_get (self, plan, "a");
      read->max_versions = cases[i].max_versions;
      read->min_timestamp = cases[i].min_timestamp;
      read->max_timestamp = cases[i].max_timestamp;
      expect_read (self, plan, cases[i].cells);
    }
}

static void
test_set_timestamp (TallConformance *self)
{
  change (self, "a", "x@10=1 x@20=2 x@30=3");
  change (self, "b", "x@20=b");
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  add_scan (self, plan, "", "z");
  tall_read_plan_set_timestamp (plan, 20);
  expect_read (self, plan, "a: x@20=2; b: x@20=b");
}

static void
expect_qualifiers (TallConformance *self, const char *names, const char *rows)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  TallRead *read = add_scan (self, plan, "", "z");
  g_auto (GStrv) list = g_strsplit (names, " ", -1);
  TallSlice *qualifiers = tall_arena_newa0 (plan->arena, TallSlice, g_strv_length (list));
  for (guint i = 0; list[i] != NULL; i++)
    qualifiers[i] = tall_slice_str (list[i]);
  read->qualifiers = qualifiers;
  read->n_qualifiers = g_strv_length (list);
  expect_read (self, plan, rows);
}

static void
test_qualifiers (TallConformance *self)
{
  change (self, "a", "w@1=W x@1=X xx@1=XX y@2=Y2 y@1=Y1");
  change (self, "b", "xx@1=XX");
  expect_qualifiers (self, "x", "a: x@1=X");
  expect_qualifiers (self, "y w", "a: w@1=W y@2=Y2 y@1=Y1");
  expect_qualifiers (self, "xx nothing", "a: xx@1=XX; b: xx@1=XX");
  expect_qualifiers (self, "nothing", "");
}

static void
put_bytes (TallConformance *self, TallSlice row, TallSlice qualifier, TallSlice value)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = tall_batch_add (batch, SHARED, row_key_bytes (self, batch->arena, row));
  tall_mutation_put (batch, mutation, qualifier, 10, value);
  must (tall_table_apply (self->table, &mutation, 1, TALL_DURABLE_LATER, TALL_NO_DEADLINE, &error));
}

static void
test_binary (TallConformance *self)
{
  static const guint8 bytes[] = { 0xff, 0x00, 0x80, 0x00 };

  /* Prefixes of these bytes: only the order of unsigned bytes is right. */
  for (guint i = 0; i < G_N_ELEMENTS (bytes); i++)
    put_bytes (self, tall_slice (bytes, i), tall_slice (bytes, i + 1), tall_slice (bytes, i));
  put_bytes (self, tall_slice ("\x7f", 1), tall_slice ("\x00", 1), tall_slice ("\n", 1));

  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_prefix_scan (plan, SHARED, row_key (self, plan->arena, ""));
  expect_read (self, plan,
               ": \\xFF@10=; \\x7F: \\x00@10=\\x0A; \\xFF: \\xFF\\x00@10=\\xFF; "
               "\\xFF\\x00: \\xFF\\x00\\x80@10=\\xFF\\x00; "
               "\\xFF\\x00\\x80: \\xFF\\x00\\x80\\x00@10=\\xFF\\x00\\x80");
}

static void
test_empty_value (TallConformance *self)
{
  change (self, "a", "x@10=");
  expect_row (self, "a", "x@10=");
  change (self, "a", "x@10=full x@20=");
  expect_row (self, "a", "x@20= x@10=full");
}

static void
test_big_value (TallConformance *self)
{
  gsize len = 1024 * 1024;
  g_autofree guint8 *value = g_malloc (len);
  for (gsize i = 0; i < len; i++)
    value[i] = (guint8)(i * 31 + i / 251);
  put_bytes (self, tall_slice_str ("a"), tall_slice_str ("x"), tall_slice (value, len));

  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  add_get (self, plan, "a");
  g_autoptr (TallReadResult) result = run_plan (self, plan);
  g_assert_cmpuint (result->results[0].n_rows, ==, 1);
  const TallRow *row = &result->results[0].rows[0];
  g_assert_cmpuint (row->n_cells, ==, 1);
  g_assert_cmpmem (row->cells[0].value.data, row->cells[0].value.len, value, len);
}

static void
test_many_cells (TallConformance *self)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = tall_batch_add (batch, SHARED, row_key (self, batch->arena, "a"));
  for (guint i = 0; i < 5000; i++)
    {
      /* Not in the order of a row: the stores have to sort. */
      guint number = i * 3 % 5000;
      TallSlice name = tall_slice_str (tall_arena_printf (batch->arena, "%06u", number));
      tall_mutation_put (batch, mutation, name, 10 + number, name);
    }
  must (tall_table_apply (self->table, &mutation, 1, TALL_DURABLE, TALL_NO_DEADLINE, &error));

  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  add_get (self, plan, "a");
  g_autoptr (TallReadResult) result = run_plan (self, plan);
  g_assert_cmpuint (result->results[0].n_rows, ==, 1);
  const TallRow *row = &result->results[0].rows[0];
  g_assert_cmpuint (row->n_cells, ==, 5000);
  for (guint i = 0; i < 5000; i++)
    {
      char name[16];
      g_snprintf (name, sizeof name, "%06u", i);
      g_assert_cmpmem (row->cells[i].qualifier.data, row->cells[i].qualifier.len, name, 6);
      g_assert_cmpmem (row->cells[i].value.data, row->cells[i].value.len, name, 6);
      g_assert_cmpint (row->cells[i].timestamp, ==, 10 + i);
    }
}

/* A result stays as it is when the rows change. */
static void
test_result_is_own (TallConformance *self)
{
  change (self, "a", "x@10=before");
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  add_get (self, plan, "a");
  add_scan (self, plan, "a", "b");
  g_autoptr (TallReadResult) result = run_plan (self, plan);
  g_clear_pointer (&plan, tall_read_plan_free);
  change (self, "a", "x@10=behind y@20=new <=5");
  for (guint i = 0; i < 2; i++)
    {
      g_autofree char *text = rows_to_text (self, &result->results[i]);
      g_assert_cmpstr (text, ==, "a: x@10=before");
    }
}

const TallConformanceCase tall_conformance_row_cases[] = {
  { "row/absent", test_absent },
  { "row/put", test_put },
  { "row/same-timestamp", test_same_timestamp },
  { "row/repeat", test_repeat },
  { "row/delete-up-to", test_delete_up_to },
  { "row/delete-at", test_delete_at },
  { "row/deletes-together", test_deletes_together },
  { "row/delete-absent", test_delete_absent },
  { "row/hidden", test_hidden },
  { "row/delete-and-put", test_delete_and_put },
  { "row/versions", test_versions },
  { "row/set-timestamp", test_set_timestamp },
  { "row/qualifiers", test_qualifiers },
  { "row/binary", test_binary },
  { "row/empty-value", test_empty_value },
  { "row/big-value", test_big_value },
  { "row/many-cells", test_many_cells },
  { "row/result-is-own", test_result_is_own },
  { NULL, NULL },
};
