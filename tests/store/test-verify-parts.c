/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "tall-parts-front.h"
#include "store/verify/verify.h"
#include "tall-test-findings.h"
#include "tall-test-mending.h"
#include "tall-test-orders.h"
#include "tall-must.h"

/* A verification in parts, of which nobody keeps anything but the caller: it finds the same as one
 * that goes on and on, no part is large, and what a caller makes up does no harm. */

#define MANY 1500

static void
damage_all (TallStoreFixture *self, const TallStoreKind *kind)
{
  g_autoptr (TallOrder) sound = tall_test_marked_order ("sound", 1, 1, 3);
  tall_fixture_put (self, sound, NULL);
  tall_test_damage_all (self, kind);
}

/* Every order and every row in a part of its own, by two stores in turn. */
static void
test_small (TallStoreFixture *self, gconstpointer kind)
{
  damage_all (self, kind);
  g_autoptr (TallStore) other = tall_test_open (self->table, &self->clock);
  for (guint most = 1; most <= 3; most++)
    {
      g_autoptr (TallFront) parts = tall_parts_front_new (self->front, TALL_FRONT (other), most);
      tall_test_assert_same_findings (self->front, parts, (TallVerifyOptions){ 0 });
      g_assert_cmpuint (tall_parts_front_count (TALL_PARTS_FRONT (parts)), >, 25 / most);
    }
}

static void
test_repair (TallStoreFixture *self, gconstpointer kind)
{
  damage_all (self, kind);
  TallVerifySummary before, mending, after;
  g_autoptr (TallFront) parts = tall_parts_front_new (self->front, self->front, 1);
  g_autoptr (GPtrArray) found = tall_test_find (self->front, (TallVerifyOptions){ 0 }, &before);
  TallVerifyOptions repair = { .repair = TRUE };
  g_autoptr (GPtrArray) mended = tall_test_find (parts, repair, &mending);
  g_autoptr (GPtrArray) left = tall_test_find (parts, repair, &after);
  g_assert_cmpuint (mending.n_findings, ==, before.n_findings);
  g_assert_cmpuint (mending.n_mended, ==, before.n_findings - before.n_for_person);
  g_assert_cmpuint (after.n_findings, ==, before.n_for_person);
}

static void
put_cells (TallStoreFixture *self, const char *table, guint n, const char *prefix, gboolean id)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *key = g_strdup_printf ("%s%04u", prefix, i);
      g_autoptr (GByteArray) value = g_byte_array_new ();
      tall_bytes_append_u64 (value, id ? 0x1000000 + i : i);
      TallMutation *mutation =
          tall_batch_add (batch, table, tall_slice_dup (batch->arena, tall_slice_str (key)));
      tall_mutation_put (batch, mutation, tall_slice_str ("v"), 1,
                         tall_slice_dup (batch->arena, tall_slice_array (value)));
    }
  must (tall_table_apply (self->table, (TallMutation *const *)batch->mutations->pdata,
                          batch->mutations->len, TALL_DURABLE, TALL_NO_DEADLINE, &error));
}

/* Rows of somebody else, before the first order: each is found once. */
static void
test_strays (TallStoreFixture *self, gconstpointer data)
{
  const TallStoreKind *kind = data;
  TallVerifySummary summary;
  g_autoptr (TallOrder) order = tall_test_marked_order (TALL_TEST_ORDER, 1, 1, 3);
  tall_fixture_put (self, order, NULL);
  put_cells (self, kind->layout->tables[0].name, MANY, "\x01", FALSE);
  put_cells (self, "index", MANY, "\x01", FALSE);
  g_autoptr (TallFront) parts = tall_parts_front_new (self->front, self->front, 0);
  g_autoptr (GPtrArray) lines = tall_test_find (parts, (TallVerifyOptions){ 0 }, &summary);
  g_autoptr (GHashTable) different = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < lines->len; i++)
    g_hash_table_add (different, g_ptr_array_index (lines, i));
  g_assert_cmpuint (lines->len, ==, 2 * MANY);
  g_assert_cmpuint (g_hash_table_size (different), ==, 2 * MANY);
  g_assert_cmpuint (summary.n_orders, ==, 1);
  g_assert_cmpuint (tall_parts_front_count (TALL_PARTS_FRONT (parts)), >=, 6);
}

/* Strays between the rows of an order do not tear it apart, and are one finding, however many. */
static void
test_stray_within (TallStoreFixture *self, gconstpointer data)
{
  const TallStoreKind *kind = data;
  g_autoptr (TallOrder) order = tall_test_marked_order (TALL_TEST_ORDER, 1, 1, 3);
  tall_fixture_put (self, order, NULL);
  if (kind->layout->single_row)
    return;
  tall_test_put_strays (self, kind, TALL_TEST_ORDER, MANY, 1);
  TallVerifySummary summary;
  g_autoptr (TallFront) parts = tall_parts_front_new (self->front, self->front, 1);
  g_autoptr (GPtrArray) lines = tall_test_find (parts, (TallVerifyOptions){ 0 }, &summary);
  g_assert_cmpuint (lines->len, ==, 1);
  g_assert_true (g_str_has_prefix (g_ptr_array_index (lines, 0), "stray-row "));
  g_assert_nonnull (strstr (g_ptr_array_index (lines, 0), " (1500) of "));
  g_assert_cmpuint (summary.n_orders, ==, 1);
}

/* Each order has its own. */
static void
test_strays_of_two (TallStoreFixture *self, gconstpointer data)
{
  const TallStoreKind *kind = data;
  TallVerifySummary summary;
  static const char *const numbers[] = { "one", "two", "three" };
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      g_autoptr (TallOrder) order = tall_test_marked_order (numbers[i], 1, 1, 3);
      tall_fixture_put (self, order, NULL);
      if (!kind->layout->single_row && i != 1)
        tall_test_put_strays (self, kind, numbers[i], 3, 1);
    }
  g_autoptr (GPtrArray) lines = tall_test_find (self->front, (TallVerifyOptions){ 0 }, &summary);
  g_assert_cmpuint (lines->len, ==, kind->layout->single_row ? 0 : 2);
  for (guint i = 0; i < lines->len; i++)
    g_assert_nonnull (strstr (g_ptr_array_index (lines, i), " (3) of "));
}

/* How often the table of ids is walked. */
static TallFailure
count_walks (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  guint *n = data;
  if (call->kind == TALL_CALL_READ && call->plan->reads->len == 1)
    {
      const TallRead *read = tall_read_plan_get (call->plan, 0);
      g_assert_true (read->kind == TALL_READ_GET || read->max_bytes > 0
                     || !g_str_equal (read->table, "ids"));
      *n += g_str_equal (read->table, "ids") && read->limit == 4096 && read->start.len == 0;
    }
  return TALL_FAILURE_NONE;
}

/* The other rows are read for many half ids together. */
static void
test_half_ids (TallStoreFixture *self, gconstpointer data)
{
  const TallStoreKind *kind = data;
  guint n_walks = 0;
  TallVerifySummary summary;
  if (!kind->key_strategy->needs_id)
    return;
  put_cells (self, "ids", MANY, "nHALF", TRUE);
  put_cells (self, "ids", 2, "nTWICE", TRUE); /* the same ids as the first two */
  g_autoptr (TallTable) table = tall_failing_table_new (self->table);
  g_autoptr (TallStore) store = tall_test_open (table, &self->clock);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (table), count_walks, NULL, &n_walks);
  TallVerifyOptions repair = { .repair = TRUE };
  g_autoptr (GPtrArray) mended = tall_test_find (TALL_FRONT (store), repair, &summary);
  g_assert_cmpuint (summary.n_findings, ==, MANY + 2);
  g_assert_cmpuint (summary.n_mended, ==, MANY - 2);
  g_assert_cmpuint (n_walks, ==, 1);
  g_autoptr (GPtrArray) left = tall_test_find (self->front, repair, &summary);
  g_assert_cmpuint (left->len, ==, 4);
}

/* What has waited long enough does not wait once more before it is mended. */
static void
test_at_once (TallStoreFixture *self, gconstpointer data)
{
  const TallStoreKind *kind = data;
  gint64 begun = self->clock.monotonic;
  if (!kind->key_strategy->needs_id)
    return;
  put_cells (self, "ids", 3, "nHALF", TRUE);
  tall_test_expect_findings (self->front, TRUE, 3, 3);
  g_assert_cmpint (self->clock.monotonic - begun, >=, TALL_VERIFY_PATIENCE);
  g_assert_cmpint (self->clock.monotonic - begun, <, 2 * TALL_VERIFY_PATIENCE);
}

static TallFailure
be_slow (TallFailingTable *table G_GNUC_UNUSED,
         const TallCall *call G_GNUC_UNUSED,
         gpointer data G_GNUC_UNUSED)
{
  g_usleep (G_USEC_PER_SEC / 8);
  return TALL_FAILURE_NONE;
}

/* A table that takes long for each call makes the parts smaller, not longer. */
static void
test_slow (TallStoreFixture *self, gconstpointer data)
{
  const TallStoreKind *kind = data;
  TallVerifySummary summary;
  guint n;
  const TallTestDamage *damages = tall_test_damages (&n);
  if (!g_str_equal (kind->key_strategy->name, "numeric")
      || !g_str_equal (kind->layout->name, "blob"))
    return;
  for (guint i = 0; i < MIN (n, 8); i++)
    tall_test_damage_do (&damages[i], self, kind);
  g_autoptr (TallTable) table = tall_failing_table_new (self->table);
  g_autoptr (TallStore) store = tall_test_open (table, &self->clock);
  g_autoptr (TallFront) parts = tall_parts_front_new (TALL_FRONT (store), TALL_FRONT (store), 0);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (table), be_slow, NULL, NULL);
  g_autoptr (GPtrArray) lines = tall_test_find (parts, (TallVerifyOptions){ 0 }, &summary);
  guint n_calls = tall_failing_table_count_calls (TALL_FAILING_TABLE (table));
  g_assert_cmpuint (lines->len, >, 5);
  g_assert_cmpuint (n_calls, >, 20);
  g_assert_cmpuint (tall_parts_front_count (TALL_PARTS_FRONT (parts)), >, n_calls / 16);
}

/* The search for what contradicts begins when nothing is to be looked at again, and goes on where
 * it was left, page by page if a part has no more time. */
static void
test_search (TallStoreFixture *self, gconstpointer data)
{
  const TallStoreKind *kind = data;
  TallStoreContext context = { .table = self->table };
  const TallSuspect half[] = {
    { &tall_verify_ids, tall_slice_str ("nA0002"), .stage = TALL_SUSPECT_READY },
    { &tall_verify_ids, tall_slice_str ("nA0000"), .stage = TALL_SUSPECT_SEARCH },
    { &tall_verify_ids, tall_slice_str ("nA0001"), .stage = TALL_SUSPECT_SEARCH },
  };
  g_autoptr (TallVerifyPart) part = g_new0 (TallVerifyPart, 1);
  g_autoptr (GArray) findings = g_array_new (FALSE, FALSE, sizeof (TallFinding));
  g_autoptr (GByteArray) place = g_byte_array_new ();
  TallVerify verify = { .context = &context, .part = part, .findings = findings, .search = place };
  const TallSuspect *all;
  guint n_pages = 0;
  if (!kind->key_strategy->needs_id)
    return;
  put_cells (self, "ids", 9000, "nA", TRUE);
  put_cells (self, "ids", 1, "nZ", TRUE); /* as nA0000 */
  part->arena = tall_arena_new (0);
  verify.suspects = g_array_new (FALSE, FALSE, sizeof (TallSuspect));
  g_array_append_vals (verify.suspects, half, G_N_ELEMENTS (half));
  must (tall_verify_settle (&verify, &error));
  g_assert_cmpuint (place->len, ==, 0);
  all = &g_array_index (verify.suspects, TallSuspect, 0);
  g_assert_cmpint (all[0].stage, ==, TALL_SUSPECT_NEW); /* its fingerprint is another one */
  for (; all[2].stage == TALL_SUSPECT_SEARCH; n_pages++)
    must (tall_verify_settle (&verify, &error));
  g_assert_cmpuint (n_pages, ==, 3);
  g_assert_cmpint (all[0].stage, ==, TALL_SUSPECT_NEW);
  g_assert_cmpint (all[1].stage, ==, TALL_SUSPECT_LEFT);
  g_assert_cmpint (all[2].stage, ==, TALL_SUSPECT_MEND);
  g_array_unref (verify.suspects);
}

static void
send (TallFront *front, GRand *rand, TallSlice bytes)
{
  g_autoptr (GError) error = NULL;
  g_autofree guint8 *altered = g_memdup2 (bytes.data, bytes.len);
  gsize len = g_rand_int_range (rand, 0, 4) == 0
                  ? (gsize)g_rand_int_range (rand, 0, (gint32)bytes.len + 1)
                  : bytes.len;
  for (gint i = g_rand_int_range (rand, 0, 4); i > 0; i--)
    altered[g_rand_int_range (rand, 0, (gint32)bytes.len)] = (guint8)g_rand_int (rand);
  TallSlice slice = tall_slice (altered, len);
  TallVerifyRequest request = { .repair = TRUE, .cursor = slice };
  g_autoptr (TallVerifyPart) part = tall_front_verify_some (front, &request, &error);
  g_assert_cmpint (part != NULL, ==, error == NULL);
  if (part == NULL)
    g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
}

/* Cursors with altered bytes are refused, or lead to nothing that is not there. */
static void
test_altered (TallStoreFixture *self, gconstpointer kind)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  g_autoptr (GByteArray) cursor = g_byte_array_new ();
  damage_all (self, kind);
  do
    {
      TallVerifyRequest request = { .most = 1, .cursor = tall_slice_array (cursor) };
      g_autoptr (TallVerifyPart) part =
          must (tall_front_verify_some (self->front, &request, &error));
      tall_bytes_set (cursor, part->cursor);
      for (guint i = 0; i < 40 && cursor->len > 0; i++)
        send (self->front, rand, tall_slice_array (cursor));
    }
  while (cursor->len > 0);
  g_autoptr (TallOrder) sound = tall_test_marked_order ("sound", 1, 1, 3);
  g_autoptr (TallOrder) got = tall_fixture_get (self, "sound", NULL);
  tall_test_assert_order_equal (got, sound);
}

/* No page may be large, however long the rows are. Rows of `meta` are a few bytes, one a load. */
static TallFailure
check_scan (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  guint *n = data;
  const TallRead *read = call->kind == TALL_CALL_READ && call->plan->reads->len == 1
                             ? tall_read_plan_get (call->plan, 0)
                             : NULL;
  if (read == NULL || read->kind != TALL_READ_SCAN || g_str_equal (read->table, "meta"))
    return TALL_FAILURE_NONE;
  g_assert_cmpuint (read->limit, >, 0);
  g_assert_cmpuint (read->max_bytes, >, 0);
  g_assert_cmpuint (read->max_bytes, <=, 1 << 20);
  (*n)++;
  return TALL_FAILURE_NONE;
}

static void
put_large (TallStoreFixture *self, guint n)
{
  g_autofree char *note = g_strnfill (1000 * 1000, 'x');
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);
      g_autoptr (TallOrder) order = tall_test_marked_order (number, 1, 1, 200);
      order->currency = note;
      tall_fixture_put (self, order, NULL);
    }
}

/* Orders of which each fills a page: none looks torn. */
static void
test_large (TallStoreFixture *self, gconstpointer data)
{
  const TallStoreKind *kind = data;
  TallVerifySummary summary;
  guint n_scans = 0;
  if (!g_str_equal (kind->key_strategy->name, "hashed"))
    return;
  put_large (self, 3);
  g_autoptr (TallTable) table = tall_failing_table_new (self->table);
  g_autoptr (TallStore) store = tall_test_open (table, &self->clock);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (table), check_scan, NULL, &n_scans);
  g_autoptr (GPtrArray) lines =
      tall_test_find (TALL_FRONT (store), (TallVerifyOptions){ 0 }, &summary);
  g_assert_cmpuint (lines->len, ==, 0);
  g_assert_cmpuint (summary.n_orders, ==, 3);
  g_assert_cmpuint (n_scans, >, 3);
}

/* So it is where pages take long. */
static void
test_slow_pages (TallStoreFixture *self, gconstpointer data)
{
  const TallStoreKind *kind = data;
  TallVerifySummary summary;
  if (!g_str_equal (kind->key_strategy->name, "hashed")
      || !g_str_equal (kind->layout->name, "blob"))
    return;
  put_large (self, 12);
  g_autoptr (TallTable) table = tall_failing_table_new (self->table);
  g_autoptr (TallStore) store = tall_test_open (table, &self->clock);
  g_autoptr (TallFront) parts = tall_parts_front_new (TALL_FRONT (store), TALL_FRONT (store), 0);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (table), be_slow, NULL, NULL);
  g_autoptr (GPtrArray) lines = tall_test_find (parts, (TallVerifyOptions){ 0 }, &summary);
  g_assert_cmpuint (lines->len, ==, 0);
  g_assert_cmpuint (summary.n_orders, ==, 12);
  g_assert_cmpuint (tall_parts_front_count (TALL_PARTS_FRONT (parts)), >, 1);
}

/* A verification that the deployment has moved away from says so. */
static void
test_moved (TallStoreFixture *self, gconstpointer kind)
{
  damage_all (self, kind);
  TallVerifyRequest request = { .most = 1 };
  g_autoptr (TallVerifyPart) part = must (tall_front_verify_some (self->front, &request, &error));
  g_assert_cmpuint (part->cursor.len, >, 9);
  g_autofree guint8 *cursor = g_memdup2 (part->cursor.data, part->cursor.len);
  cursor[8] ^= 2; /* the mark of the tables */
  request.cursor = tall_slice (cursor, part->cursor.len);
  must_fail (tall_front_verify_some (self->front, &request, &error), TALL_ERROR_INVALID,
             "has moved to other tables meanwhile; verify again");
}

/* A cursor is of what was asked for: neither of everything nor of another customer. */
static void
test_other_customer (TallStoreFixture *self, gconstpointer kind)
{
  static const char *const others[] = { NULL, "somebody else" };
  TallVerifyRequest request = { .most = 1, .customer_number = TALL_TEST_CUSTOMER };
  g_autoptr (TallCustomer) customer = tall_test_plain_customer (others[1]);
  damage_all (self, kind);
  must (tall_front_put_customer (self->front, customer, NULL, NULL, &error));
  g_autoptr (TallVerifyPart) part = must (tall_front_verify_some (self->front, &request, &error));
  g_assert_cmpuint (part->cursor.len, >, 0);
  request.cursor = part->cursor;
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    {
      request.customer_number = others[i];
      must_fail (tall_front_verify_some (self->front, &request, &error), TALL_ERROR_INVALID,
                 "is not of this verification");
    }
}

/* What makes no sense is refused before anything is looked at. */
static void
test_refused (TallStoreFixture *self, gconstpointer kind G_GNUC_UNUSED)
{
  const TallVerifyRequest requests[] = {
    { .cursor = tall_slice_str ("\x02") },
    { .cursor = tall_slice_str ("\x01\x07") },
    { .sample = 100 },
    { .customer_number = "" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (requests); i++)
    must_fail (tall_front_verify_some (self->front, &requests[i], &error), TALL_ERROR_INVALID);
}

int
main (int argc, char **argv)
{
  static const TallStoreTest tests[] = {
    { "small", test_small },
    { "repair", test_repair },
    { "strays", test_strays },
    { "stray-within", test_stray_within },
    { "half-ids", test_half_ids },
    { "search", test_search },
    { "at-once", test_at_once },
    { "slow", test_slow },
    { "slow-pages", test_slow_pages },
    { "altered", test_altered },
    { "moved", test_moved },
    { "refused", test_refused },
    { "other-customer", test_other_customer },
    { "large", test_large },
    { "strays-of-two", test_strays_of_two },
  };
  g_test_init (&argc, &argv, NULL);
  tall_store_fixture_add ("verify-parts", tests, G_N_ELEMENTS (tests));
  return g_test_run ();
}
