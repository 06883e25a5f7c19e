/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-merge-fixture.h"
#include "table/hbase/merge.h"

/* Writes that find all connections busy leave together, and each knows what became of its own. */

#define N_READERS 20
#define N_WRITERS 20
#define N_ROWS 3 /* of each */

/* One that writes some rows, in a thread of its own: a hint and children, or their removal. */
typedef struct
{
  TallMergeFixture *fixture;
  guint number;
  gboolean deletes;
  gsize value;           /* bytes of each cell */
  const char *tables[2]; /* of the first row, of the others */
  gint64 deadline;
  GThread *thread;
  GError *error;
} Writer;

static char *
make_key (const Writer *self, guint row)
{
  return g_strdup_printf ("row-%u-%u", self->number, row);
}

static gpointer
write_rows (gpointer data)
{
  Writer *self = data;
  g_autoptr (TallBatch) batch = tall_batch_new ();
  g_autofree char *value = g_strnfill (self->value, 'v');
  for (guint i = 0; i < N_ROWS; i++)
    {
      g_autofree char *key = make_key (self, i);
      TallMutation *mutation = tall_batch_add (batch, self->tables[i > 0], tall_slice_str (key));
      if (self->deletes)
        tall_mutation_delete_up_to (batch, mutation, 2);
      else
        tall_mutation_put (batch, mutation, tall_slice_str ("c"), 2, tall_slice_str (value));
    }
  const TallHbaseWrite write = { .mutations = (TallMutation *const *)batch->mutations->pdata,
                                 .n = N_ROWS,
                                 .deadline = self->deadline };
  TallMergeFixture *fixture = self->fixture;
  gboolean done = tall_hbase_apply (fixture->pool, fixture->merge, &write, &self->error);
  g_assert_cmpint (done, ==, self->error == NULL);
  return NULL;
}

static void
writers_init (Writer *writers, guint n, TallMergeFixture *fixture)
{
  for (guint i = 0; i < n; i++)
    writers[i] = (Writer){ .fixture = fixture,
                           .number = i,
                           .value = 5,
                           .tables = { "orders", "orders" },
                           .deadline = SOON };
}

static void
writers_run (Writer *writers, guint n, TallMergeFixture *fixture)
{
  for (guint i = 0; i < n; i++)
    writers[i].thread = g_thread_new ("writer", write_rows, &writers[i]);
  tall_merge_fixture_wait (fixture, n);
}

/* All rows of all of them have reached the gateway. */
static void
writers_expect_done (Writer *writers, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      Writer *writer = &writers[i];
      g_thread_join (writer->thread);
      g_assert_no_error (writer->error);
      for (guint k = 0; k < N_ROWS; k++)
        {
          g_autofree char *key = make_key (writer, k);
          g_assert_true (tall_fake_gateway_has_row (
              writer->fixture->gateway, writer->deletes ? "deleteMultiple" : "putMultiple", key));
        }
    }
}

static void
writers_expect_error (Writer *writers, guint n, TallError code)
{
  for (guint i = 0; i < n; i++)
    {
      g_thread_join (writers[i].thread);
      g_assert_error (writers[i].error, TALL_ERROR, (int)code);
      g_clear_error (&writers[i].error);
    }
}

static void
test_writes_together (void)
{
  g_auto (TallMergeFixture) fixture = { NULL };
  Writer writers[N_WRITERS];
  tall_merge_fixture_init (&fixture, 60000, 1000);
  writers_init (writers, N_WRITERS, &fixture);
  writers_run (writers, N_WRITERS, &fixture);
  tall_merge_fixture_give_back (&fixture, 1);
  writers_expect_done (writers, N_WRITERS);
  g_assert_cmpuint (tall_merge_fixture_count (&fixture, "putMultiple"), ==, 1);
  tall_merge_fixture_expect_merged (&fixture, TALL_TABLE_MERGED_WRITES, 6,
                                    (guint64)N_WRITERS * N_ROWS);
}

/* Rows of two tables are two requests, and removals another one for each. */
static void
test_writes_of_kinds (void)
{
  g_auto (TallMergeFixture) fixture = { NULL };
  Writer writers[N_WRITERS];
  tall_merge_fixture_init (&fixture, 60000, 1000);
  writers_init (writers, N_WRITERS, &fixture);
  for (guint i = 0; i < N_WRITERS; i++)
    {
      writers[i].tables[1] = "by_date";
      writers[i].deletes = i % 2;
    }
  writers_run (writers, N_WRITERS, &fixture);
  tall_merge_fixture_give_back (&fixture, 1);
  writers_expect_done (writers, N_WRITERS);
  g_assert_cmpuint (tall_merge_fixture_count (&fixture, "putMultiple"), ==, 2);
  g_assert_cmpuint (tall_merge_fixture_count (&fixture, "deleteMultiple"), ==, 2);
}

/* Reads and writes do not stand in one line, though they are of one table. */
static void
test_writes_beside_gets (void)
{
  g_auto (TallMergeFixture) fixture = { NULL };
  Writer writers[N_WRITERS];
  TallMergeReader readers[N_READERS];
  tall_merge_fixture_init (&fixture, 60000, 1000);
  writers_init (writers, N_WRITERS, &fixture);
  writers_run (writers, N_WRITERS, &fixture);
  tall_merge_readers_init (readers, N_READERS, &fixture);
  for (guint i = 0; i < N_READERS; i++)
    readers[i].thread = g_thread_new ("reader", tall_merge_reader_read, &readers[i]);
  tall_merge_fixture_wait (&fixture, N_READERS + N_WRITERS);
  tall_merge_fixture_give_back (&fixture, 1);
  writers_expect_done (writers, N_WRITERS);
  for (guint i = 0; i < N_READERS; i++)
    tall_merge_reader_expect (&readers[i], 0);
  g_assert_cmpuint (tall_merge_fixture_count (&fixture, "putMultiple"), ==, 1);
  g_assert_cmpuint (tall_merge_fixture_count (&fixture, "getMultiple"), ==, 1);
}

/* The request for all goes wrong in this way, once. */
static void
expect_writes (TallFakeAnswer answer, guint n_calls, int code)
{
  g_auto (TallMergeFixture) fixture = { NULL };
  TallHbaseOptions options = TALL_HBASE_OPTIONS_INIT;
  Writer writers[N_WRITERS];
  options.wait_timeout = 60000;
  if (answer == TALL_FAKE_SILENT)
    options.call_timeout = 1000;
  tall_merge_fixture_open (&fixture, options);
  tall_fake_gateway_set_answer (fixture.gateway, "putMultiple", answer, 1);
  writers_init (writers, N_WRITERS, &fixture);
  writers_run (writers, N_WRITERS, &fixture);
  tall_merge_fixture_give_back (&fixture, 1);
  if (code == 0)
    writers_expect_done (writers, N_WRITERS);
  else
    writers_expect_error (writers, N_WRITERS, (TallError)code);
  g_assert_cmpuint (tall_merge_fixture_count (&fixture, "putMultiple"), ==, n_calls);
}

/* Nobody knows which rows are written: each writer sends its own once more. */
static void
test_writes_alone (void)
{
  expect_writes (TALL_FAKE_ERROR, 1 + N_WRITERS, 0);
  expect_writes (TALL_FAKE_SILENT, 1 + N_WRITERS, 0);
  expect_writes (TALL_FAKE_CLOSE, 2, 0);
  expect_writes (TALL_FAKE_BUSY, 1, TALL_ERROR_OVERLOADED);
}

/* A batch of a load goes by itself, and holds up nobody's hint. */
static void
test_writes_large (void)
{
  g_auto (TallMergeFixture) fixture = { NULL };
  Writer writers[N_WRITERS];
  tall_merge_fixture_init (&fixture, 60000, 1000);
  writers_init (writers, N_WRITERS, &fixture);
  writers[0].value = 20 * 1024;
  writers[0].thread = g_thread_new ("writer", write_rows, &writers[0]);
  writers_run (writers + 1, N_WRITERS - 1, &fixture);
  tall_merge_fixture_give_back (&fixture, 1);
  writers_expect_done (writers, N_WRITERS);
  g_assert_cmpuint (tall_merge_fixture_count (&fixture, "putMultiple"), ==, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/table/hbase/merged-write/together", test_writes_together);
  g_test_add_func ("/table/hbase/merged-write/of-kinds", test_writes_of_kinds);
  g_test_add_func ("/table/hbase/merged-write/beside-gets", test_writes_beside_gets);
  g_test_add_func ("/table/hbase/merged-write/alone", test_writes_alone);
  g_test_add_func ("/table/hbase/merged-write/large", test_writes_large);
  return g_test_run ();
}
