/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-hbase-fixture.h"

#include "tall-error.h"
#include "tall-must.h"

TallTable *
tall_hbase_fixture_open_at (const char *const *gateways,
                            gboolean framed,
                            gboolean compact,
                            GError **error)
{
  TallHbaseOptions options = TALL_HBASE_OPTIONS_INIT;
  options.gateways = gateways;
  options.framed = framed;
  options.compact = compact;
  options.connect_timeout = 1000;
  options.call_timeout = 20000;
  return tall_hbase_table_open (&options, error);
}

TallTable *
tall_hbase_fixture_open (TallFakeGateway *gateway)
{
  const char *gateways[] = { tall_fake_gateway_get_address (gateway), NULL };
  return must (tall_hbase_fixture_open_at (gateways, FALSE, FALSE, &error));
}

gboolean
tall_hbase_fixture_read (TallTable *table, guint n, gint64 deadline, GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  for (guint i = 0; i < n; i++)
    tall_read_plan_add_get (plan, "orders", tall_slice_str ("row"));
  g_autoptr (TallReadResult) result = tall_table_read (table, plan, deadline, error);
  return result != NULL;
}

/* Expects so many reads to succeed, one after the other. */
void
tall_hbase_fixture_expect_reads (TallTable *table, guint n)
{
  for (guint i = 0; i < n; i++)
    must (tall_hbase_fixture_read (table, 1, SOON, &error));
}

gboolean
tall_hbase_fixture_write_if (TallTable *table, gint64 deadline, GError **error)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = tall_batch_add (batch, "orders", tall_slice_str ("row"));
  tall_mutation_put (batch, mutation, tall_slice_str ("s"), 2, tall_slice_str ("value"));
  gboolean matched = FALSE;
  const TallConditionalWrite write = {
    .mutations = &mutation,
    .n = 1,
    .qualifier = tall_slice_str ("s"),
    .durability = TALL_DURABLE,
    .deadline = deadline,
  };
  return tall_table_apply_if (table, &write, &matched, error) && matched;
}

gboolean
tall_hbase_fixture_write (TallTable *table, gint64 deadline, GError **error)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = tall_batch_add (batch, "orders", tall_slice_str ("row"));
  tall_mutation_put (batch, mutation, tall_slice_str ("s"), 2, tall_slice_str ("value"));
  return tall_table_apply (table, &mutation, 1, TALL_DURABLE, deadline, error);
}

gboolean
tall_hbase_fixture_count (TallTable *table, gint64 deadline, GError **error)
{
  gint64 value;
  return tall_table_increment (table, "orders", tall_slice_str ("row"), tall_slice_str ("n"), 1,
                               deadline, &value, error);
}

/* Whether the message of an error has a text, or the detail beside it. */
gboolean
tall_hbase_fixture_tells (const GError *error, const char *text)
{
  g_autofree char *all = tall_error_describe (error);
  g_test_message ("%s", all);
  return strstr (all, text) != NULL;
}

/* The message names what is wrong, and where. */
void
tall_hbase_fixture_expect_not_opened (
    const char *address, gboolean framed, gboolean compact, TallError code, const char *hint)
{
  const char *gateways[] = { address, NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTable) table = tall_hbase_fixture_open_at (gateways, framed, compact, &error);
  g_assert_null (table);
  g_assert_error (error, TALL_ERROR, (int)code);
  g_test_message ("%s", error->message);
  g_assert_true (tall_hbase_fixture_tells (error, hint));
  g_assert_true (tall_hbase_fixture_tells (error, address));
}

void
tall_hbase_pair_init (TallHbasePair *self)
{
  *self = (TallHbasePair){ .bad = tall_fake_gateway_new (FALSE, FALSE),
                           .good = tall_fake_gateway_new (FALSE, FALSE) };
}

void
tall_hbase_pair_open (TallHbasePair *self, TallHbaseOptions options)
{
  const char *gateways[] = { tall_fake_gateway_get_address (self->bad),
                             tall_fake_gateway_get_address (self->good), NULL };
  options.gateways = gateways;
  self->table = must (tall_hbase_table_open (&options, &error));
}

void
tall_hbase_pair_clear (TallHbasePair *self)
{
  g_clear_object (&self->table);
  g_clear_pointer (&self->bad, tall_fake_gateway_free);
  g_clear_pointer (&self->good, tall_fake_gateway_free);
}

guint
tall_hbase_fixture_count_reads (TallFakeGateway *gateway)
{
  return tall_fake_gateway_get_calls (gateway, "get");
}

/* Both gateways get calls: so both are alive, of which opening waits for one alone. */
void
tall_hbase_pair_expect_turns (const TallHbasePair *self)
{
  guint bad = tall_hbase_fixture_count_reads (self->bad);
  guint good = tall_hbase_fixture_count_reads (self->good);
  gint64 end = SOON;
  while (tall_hbase_fixture_count_reads (self->bad) == bad
         || tall_hbase_fixture_count_reads (self->good) == good)
    {
      tall_hbase_fixture_expect_reads (self->table, 1);
      g_assert_cmpint (g_get_monotonic_time (), <, end);
    }
}
