/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-mending.h"

#include "store/read/index.h"
#include "tall-test-dump.h"
#include "tall-test-orders.h"
#include "tall-must.h"

/* Of the findings. */
typedef struct
{
  guint64 n;
  guint64 n_mended;
} Counts;

static void
on_finding (const TallFinding *finding, gpointer data)
{
  Counts *self = data;
  self->n++;
  self->n_mended += finding->mended;
}

/**
 * tall_test_verify_all:
 *
 * Verifies everything, as beside others who write.
 */
TallVerifySummary
tall_test_verify_all (TallFront *front, gboolean repair)
{
  Counts counts = { 0 };
  TallVerifySummary summary;
  const TallVerifyOptions options = { .repair = repair, .on_finding = on_finding, .data = &counts };
  must (tall_front_verify (front, &options, &summary, &error));
  g_assert_true (summary.is_whole);
  g_assert_cmpuint (summary.n_findings, ==, counts.n);
  g_assert_cmpuint (summary.n_mended, ==, counts.n_mended);
  return summary;
}

/**
 * tall_test_expect_findings:
 *
 * Verifies everything, and expects so many findings.
 */
void
tall_test_expect_findings (TallFront *front, gboolean repair, guint n_found, guint n_mended)
{
  TallVerifySummary summary = tall_test_verify_all (front, repair);
  g_assert_cmpuint (summary.n_findings, ==, n_found);
  g_assert_cmpuint (summary.n_mended, ==, n_mended);
}

/* The lines of a dump. */
static GHashTable *
split (const char *dump)
{
  GHashTable *lines = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_auto (GStrv) all = g_strsplit (dump, "\n", -1);
  for (guint i = 0; all[i] != NULL; i++)
    g_hash_table_add (lines, g_strdup (all[i]));
  return lines;
}

/* Whether it is of a hint or an id, whose row may have to be written. */
static gboolean
is_other (const char *line)
{
  return g_str_has_prefix (line, TALL_INDEX_TABLE " ") || g_str_has_prefix (line, "ids ");
}

/* What went was put in by the damage. What came is at most one state cell, and one hint or id. */
static void
compare (const char *name, const char *before, const char *damaged, const char *mended)
{
  gpointer line;
  GHashTableIter iter;
  guint n_states = 0, n_others = 0;
  g_autoptr (GHashTable) were = split (before), wrong = split (damaged), are = split (mended);
  g_hash_table_iter_init (&iter, wrong);
  while (g_hash_table_iter_next (&iter, &line, NULL))
    if (!g_hash_table_contains (are, line) && g_hash_table_contains (were, line))
      g_error ("%s: this has gone: %s", name, (char *)line);
  g_hash_table_iter_init (&iter, are);
  while (g_hash_table_iter_next (&iter, &line, NULL))
    if (!g_hash_table_contains (wrong, line)
        && (is_other (line) ? n_others++ > 0 : strstr (line, " s @") == NULL || n_states++ > 0))
      g_error ("%s: this has come: %s", name, (char *)line);
}

/**
 * tall_test_damage_find:
 *
 * Returns: (transfer none): the damage of that name
 */
const TallTestDamage *
tall_test_damage_find (const char *name)
{
  guint n;
  const TallTestDamage *damages = tall_test_damages (&n);
  for (guint i = 0; i < n; i++)
    if (g_str_equal (damages[i].name, name))
      return &damages[i];
  g_assert_not_reached ();
}

/**
 * tall_test_damage_all:
 *
 * Puts in every damage that there is in the fixture's deployment.
 */
void
tall_test_damage_all (TallStoreFixture *self, const TallStoreKind *kind)
{
  guint n;
  const TallTestDamage *damages = tall_test_damages (&n);
  for (guint i = 0; i < n; i++)
    tall_test_damage_do (&damages[i], self, kind);
}

/**
 * tall_test_damage_is_stored:
 *
 * Returns: whether it damages an order that was stored
 */
gboolean
tall_test_damage_is_stored (const TallTestDamage *damage)
{
  return !g_str_has_prefix (damage->name, "never");
}

/* The mark of who made the row stays where there is one. What was replaced is not known any more,
 * and the state cell does not claim to know it. */
static void
check_state (TallStoreFixture *self, const TallStoreKind *kind, const char *number, TallState *was)
{
  TallState is;
  gint64 timestamp;
  g_assert_true (tall_test_read_state (self->store, number, &is, &timestamp));
  g_assert_cmpint (is.pending, ==, 0);
  if (timestamp > is.revision && kind->layout->single_row)
    {
      g_assert_cmpmem (is.pending_token, 8, was->pending_token, 8);
      g_assert_true ((is.pending_token[8] & 0x80) != 0);
    }
  is.pending = was->pending = 0;
  memcpy (is.pending_token, was->pending_token, TALL_TOKEN_SIZE);
  g_assert_cmpmem (&is, sizeof is, was, sizeof is);
}

/**
 * tall_test_check_mended:
 *
 * Puts the damage in, where there is such a damage, and expects that it is mended, that nothing
 * else is touched, and that a second run finds nothing.
 */
void
tall_test_check_mended (TallStoreFixture *self,
                        const TallStoreKind *kind,
                        const TallTestDamage *damage)
{
  TallState was = { 0 };
  g_autoptr (TallOrder) order = tall_test_damage_order (damage);
  if (tall_test_damage_is_stored (damage))
    {
      tall_fixture_put (self, order, NULL);
      g_assert_true (tall_test_read_state (self->store, damage->name, &was, NULL));
    }
  g_autofree char *before = tall_test_dump (self->table);
  if (!damage->damage (self, kind, order))
    return;
  g_autofree char *damaged = tall_test_dump (self->table);
  tall_test_expect_findings (self->front, TRUE, 1, 1);
  g_autofree char *mended = tall_test_dump (self->table);
  compare (damage->name, before, damaged, mended);
  tall_test_expect_findings (self->front, TRUE, 0, 0);
  g_autofree char *still = tall_test_dump (self->table);
  g_assert_cmpstr (still, ==, mended);
  if (!tall_test_damage_is_stored (damage))
    return;
  g_autoptr (TallOrder) sent = tall_test_damage_order (damage);
  g_autoptr (TallOrder) got = tall_fixture_get (self, damage->name, NULL);
  tall_test_assert_order_equal (got, sent);
  check_state (self, kind, damage->name, &was);
}

/**
 * tall_test_check_left:
 *
 * Puts in what needs a person, all together: it stays as it is, to the last byte.
 */
void
tall_test_check_left (TallStoreFixture *self, const TallStoreKind *kind)
{
  guint n, n_damaged = 0;
  const TallTestDamage *damages = tall_test_damages (&n);
  for (guint i = 0; i < n; i++)
    if (tall_finding_kind_info (damages[i].kind)->needs_person)
      n_damaged += tall_test_damage_do (&damages[i], self, kind);
  g_autofree char *damaged = tall_test_dump (self->table);
  tall_test_expect_findings (self->front, TRUE, n_damaged, 0);
  g_autofree char *still = tall_test_dump (self->table);
  g_assert_cmpstr (still, ==, damaged);
}

static void
find_key (TallStoreFixture *self, const char *order_number, TallOrderKey *key)
{
  guint64 id = 0;
  must (tall_store_find_id (self->store, TALL_TEST_CUSTOMER, &id, &error));
  tall_order_key_init (key, tall_store_get_key_strategy (self->store), TALL_TEST_CUSTOMER, id,
                       order_number);
}

/**
 * tall_test_append_hint:
 *
 * Appends the row key of the hint that leads to the order at @date.
 */
void
tall_test_append_hint (TallStoreFixture *self,
                       const char *order_number,
                       gint64 date,
                       GByteArray *row)
{
  g_auto (TallOrderKey) key = { 0 };
  find_key (self, order_number, &key);
  tall_index_append_row (key.customer, date, row);
  tall_bytes_append (row, key.order);
}

/**
 * tall_test_repair_hint:
 *
 * Looks at one hint by itself, at the time of the fixture, and mends it if something is wrong.
 */
TallRepairOutcome
tall_test_repair_hint (TallStoreFixture *self, const char *order_number, gint64 date)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GByteArray) row = g_byte_array_new ();
  TallStoreContext context = { 0 };
  TallRepairOutcome outcome = TALL_REPAIR_OVERTAKEN;
  g_auto (TallVerifyLook) look = { 0 };
  const TallVerifySubject *hints = &tall_verify_hints;
  TallStoreHooks hooks = tall_test_hooks (&self->clock);
  g_autoptr (TallDeployment) deployment =
      tall_deployment_read (self->table, TALL_NO_DEADLINE, &error);
  tall_test_append_hint (self, order_number, date, row);
  must (tall_store_context_init (&context, self->table, deployment, &hooks, &error));
  must (hints->look (&look, &context, hints, tall_slice_array (row), tall_slice (NULL, 0), &error));
  if (look.findings->len > 0)
    must (hints->mend (&look, hints, &outcome, &error));
  tall_verify_look_clear (&look);
  tall_store_context_clear (&context);
  return outcome;
}

/**
 * tall_test_put_strays:
 * @size: bytes of each
 *
 * Puts @n rows that belong to nothing right behind the root row of an order.
 */
void
tall_test_put_strays (TallStoreFixture *self,
                      const TallStoreKind *kind,
                      const char *order_number,
                      guint n,
                      gsize size)
{
  g_auto (TallOrderKey) key = { 0 };
  g_autoptr (GByteArray) row = g_byte_array_new ();
  g_autoptr (TallBatch) batch = tall_batch_new ();
  g_autofree char *value = g_strnfill (size, 'y');
  find_key (self, order_number, &key);
  const char *table = kind->layout->locate_order (&key, row);
  tall_bytes_append_u8 (row, 1);
  for (guint i = 0; i < n; i++)
    {
      tall_bytes_append_u32 (row, i);
      TallSlice stray = tall_slice_dup (batch->arena, tall_slice_array (row));
      TallMutation *mutation = tall_batch_add (batch, table, stray);
      tall_mutation_put (batch, mutation, tall_slice_str ("x"), 1, tall_slice_str (value));
      g_byte_array_set_size (row, row->len - 4);
    }
  must (tall_table_apply (self->table, (TallMutation *const *)batch->mutations->pdata, n,
                          TALL_DURABLE, TALL_NO_DEADLINE, &error));
}
