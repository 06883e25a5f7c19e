/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-merge-fixture.h"

#include "table/hbase/reader.h"
#include "tall-must.h"

void
tall_merge_fixture_open (TallMergeFixture *self, TallHbaseOptions options)
{
  options.patience = 60000;
  *self = (TallMergeFixture){ .gateway = tall_fake_gateway_new (FALSE, FALSE) };
  const char *gateways[] = { tall_fake_gateway_get_address (self->gateway), NULL };
  options.gateways = gateways;

  self->pool = must (tall_hbase_pool_new (&options, &error));
  must (tall_hbase_pool_wait_until_alive (self->pool, &error));
  self->merge = tall_hbase_merge_new (self->pool);
  for (guint i = 0; i < TALL_MERGE_N_LINKS; i++)
    {
      self->links[i] = must (tall_hbase_pool_take (self->pool, TALL_HBASE_WAIT, SOON, &error));
    }
}

void
tall_merge_fixture_init (TallMergeFixture *self, guint wait_timeout, guint max_waiting)
{
  TallHbaseOptions options = TALL_HBASE_OPTIONS_INIT;
  options.wait_timeout = wait_timeout;
  options.max_waiting = max_waiting;
  tall_merge_fixture_open (self, options);
}

void
tall_merge_fixture_give_back (TallMergeFixture *self, guint n)
{
  for (guint i = 0; i < TALL_MERGE_N_LINKS && n > 0; i++)
    if (self->links[i] != NULL)
      {
        tall_hbase_pool_give_back (self->pool, g_steal_pointer (&self->links[i]));
        n--;
      }
}

void
tall_merge_fixture_clear (TallMergeFixture *self)
{
  tall_merge_fixture_give_back (self, TALL_MERGE_N_LINKS);
  tall_hbase_merge_free (self->merge);
  tall_hbase_pool_close (self->pool);
  tall_fake_gateway_free (self->gateway);
}

gpointer
tall_merge_reader_read (gpointer data)
{
  TallMergeReader *self = data;
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_get (plan, self->table, tall_slice_str (self->key));
  g_autoptr (TallReadResult) result = tall_hbase_read (self->fixture->pool, self->fixture->merge,
                                                       plan, self->deadline, &self->error);
  if (result != NULL && result->results[0].n_rows > 0)
    {
      TallSlice value = result->results[0].rows[0].cells[0].value;
      self->found = g_strndup ((const char *)value.data, value.len);
    }
  self->trace = *tall_trace_get ();
  return NULL;
}

/* Every fourth asks for a row that is not there. */
void
tall_merge_readers_init (TallMergeReader *readers, guint n, TallMergeFixture *fixture)
{
  for (guint i = 0; i < n; i++)
    {
      TallMergeReader *reader = &readers[i];
      *reader = (TallMergeReader){ .fixture = fixture, .table = "orders", .deadline = SOON };
      reader->key = g_strdup_printf (i % 4 == 0 ? "none-%u" : "row-%u", i);
    }
}

/* Waits until so many stand in line. */
void
tall_merge_fixture_wait (TallMergeFixture *fixture, guint n)
{
  gint64 end = SOON;
  while (tall_hbase_merge_count_waiting (fixture->merge) < n)
    {
      g_assert_cmpint (g_get_monotonic_time (), <, end);
      g_thread_yield ();
    }
}

void
tall_merge_readers_run (TallMergeReader *readers, guint n, TallMergeFixture *fixture)
{
  for (guint i = 0; i < n; i++)
    readers[i].thread = g_thread_new ("reader", tall_merge_reader_read, &readers[i]);
  tall_merge_fixture_wait (fixture, n);
}

/* @code: of its error; 0: it has its row, if there is one */
void
tall_merge_reader_expect (TallMergeReader *self, int code)
{
  g_thread_join (self->thread);
  must_be (self->error, code);
  gboolean has_row = code == 0 && g_str_has_prefix (self->key, "row-");
  g_assert_cmpstr (self->found, ==, has_row ? self->key : NULL);
  g_clear_error (&self->error);
  g_free (self->found);
  g_free (self->key);
}

guint
tall_merge_fixture_count (TallMergeFixture *fixture, const char *method)
{
  return tall_fake_gateway_get_calls (fixture->gateway, method);
}

/* A reader has noted its one request and who answered it, whether it was sent by itself or not. */
void
tall_merge_reader_expect_traced (const TallMergeReader *self)
{
  g_assert_cmpuint (self->trace.n_calls, ==, 1);
  g_assert_cmpint (self->trace.longest, >, 0);
  g_assert_cmpstr (self->trace.place, ==, tall_fake_gateway_get_address (self->fixture->gateway));
}

/* One request of so many rows was sent for several callers, and none of the other kind. @kind: as
 * in TallTableServer; @size: of 2^(@size - 1) + 1 to 2^@size rows */
void
tall_merge_fixture_expect_merged (TallMergeFixture *fixture, guint kind, guint size, guint64 n_rows)
{
  g_autoptr (GPtrArray) servers = tall_hbase_pool_describe (fixture->pool, SOON);
  const TallTableServer *server = g_ptr_array_index (servers, 0);
  TallTableMerged wanted[TALL_TABLE_N_MERGED] = { 0 };
  wanted[kind].n[size] = 1;
  wanted[kind].n_rows = n_rows;
  g_assert_cmpmem (server->merged, sizeof server->merged, wanted, sizeof wanted);
}
