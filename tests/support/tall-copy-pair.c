/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-copy-pair.h"

#include "table/memory-table.h"
#include "tall-test-dump.h"
#include "tall-test-orders.h"
#include "tall-must.h"

#define SEED 8 /* of what is stored */
#define MOST_LINES 12

/**
 * tall_copy_side_init:
 * @self: all zero, but for @together
 */
void
tall_copy_side_init (TallCopySide *self, const TallStoreSettings *settings)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTable) memory = tall_memory_table_new ();
  self->clock = (TallTestClock){ .now = TALL_COPY_NOW };
  self->table = tall_failing_table_new (memory);
  if (self->together > 0)
    {
      tall_memory_table_set_together (TALL_MEMORY_TABLE (memory), self->together);
      tall_failing_table_set_info (TALL_FAILING_TABLE (self->table), TALL_FAILING_EMBEDDED);
    }
  must (tall_store_create (self->table, settings, &error));
  self->store = tall_test_open (self->table, &self->clock);
  self->front = TALL_FRONT (self->store);
  self->deployment = must (tall_deployment_read (self->table, TALL_NO_DEADLINE, &error));
  gboolean known =
      tall_store_context_init (&self->context, self->table, self->deployment, NULL, &error);
  g_assert_true (known);
}

void
tall_copy_side_clear (TallCopySide *self)
{
  tall_store_context_clear (&self->context);
  g_clear_pointer (&self->deployment, tall_deployment_free);
  g_clear_object (&self->store);
  g_clear_object (&self->table);
}

/**
 * tall_copy_pair_init:
 * @self: all zero, but for what its sides say
 */
void
tall_copy_pair_init (TallCopyPair *self,
                     const TallStoreSettings *source,
                     const TallStoreSettings *target)
{
  tall_copy_side_init (&self->source, source);
  tall_copy_side_init (&self->target, target);
  self->copier = (TallCopier){ .source = &self->source.context,
                               .target = &self->target.context,
                               .begun = G_MAXINT64 };
}

void
tall_copy_pair_clear (TallCopyPair *self)
{
  tall_copy_side_clear (&self->source);
  tall_copy_side_clear (&self->target);
}

void
tall_copy_counts_clear (TallCopyCounts *self)
{
  g_clear_pointer (&self->message, g_free);
}

/**
 * tall_copy_side_scan:
 *
 * Returns: (transfer full): the root rows of customers and of orders, of one table each
 */
TallReadResult *
tall_copy_side_scan (const TallCopySide *self)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  const char *customers = tall_layout_get_customer_table (self->context.layout);
  const char *orders = tall_layout_get_order_table (self->context.layout);
  const TallSlice all = TALL_SLICE_INIT;
  tall_root_narrow (tall_read_plan_add_scan (plan, orders, all, all));
  if (!g_str_equal (orders, customers))
    tall_root_narrow (tall_read_plan_add_scan (plan, customers, all, all));
  return must (tall_table_read (self->table, plan, TALL_NO_DEADLINE, &error));
}

static void
count (const TallCopyItem *item, TallCopyCounts *counts)
{
  counts->n[item->outcome]++;
  g_assert_true ((item->outcome == TALL_COPY_UNFIT) == (item->error != NULL));
  if (item->error == NULL)
    return;
  counts->code = (TallError)item->error->code;
  g_free (counts->message);
  counts->message = g_strdup (item->error->message);
}

static gboolean
copy_rows (TallCopyPair *self,
           const char *table,
           const TallRow *rows,
           guint n,
           TallCopyCounts *counts,
           GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallCopyItem *items = g_new0 (TallCopyItem, n);
  for (guint i = 0; i < n; i++)
    tall_copy_item_init (&items[i], &self->copier, table, &rows[i], arena);
  gboolean done = tall_copy_run (&self->copier, items, n, error);
  for (guint i = 0; i < n; i++)
    {
      if (done)
        count (&items[i], counts);
      tall_copy_item_clear (&items[i]);
    }
  g_free (items);
  return done;
}

/**
 * tall_copy_pair_copy:
 * @roots: what tall_copy_side_scan() has found, perhaps some time ago
 * @n_together: of one table, at most
 * @counts: added to
 */
gboolean
tall_copy_pair_copy (TallCopyPair *self,
                     TallReadResult *roots,
                     guint n_together,
                     TallCopyCounts *counts,
                     GError **error)
{
  const TallLayout *layout = self->source.context.layout;
  const char *tables[] = { tall_layout_get_order_table (layout),
                           tall_layout_get_customer_table (layout) };
  for (guint i = 0; i < roots->n_results; i++)
    for (guint j = 0; j < roots->results[i].n_rows; j += n_together)
      if (!copy_rows (self, tables[i], &roots->results[i].rows[j],
                      MIN (n_together, roots->results[i].n_rows - j), counts, error))
        return FALSE;
  return TRUE;
}

/**
 * tall_copy_pair_copy_all:
 *
 * Copies everything, as it is now.
 */
void
tall_copy_pair_copy_all (TallCopyPair *self, TallCopyCounts *counts)
{
  g_autoptr (TallReadResult) roots = tall_copy_side_scan (&self->source);
  must (tall_copy_pair_copy (self, roots, 7, counts, &error));
}

gboolean
tall_copy_side_read_state (const TallCopySide *self,
                           const char *customer_number,
                           const char *order_number,
                           TallState *state)
{
  g_autoptr (GError) error = NULL;
  g_auto (TallOperation) operation = { 0 };
  g_auto (TallRoot) root = { 0 };
  tall_operation_init (&operation, &self->context, customer_number, order_number, 0);
  if (!tall_operation_identify (&operation, FALSE, &error))
    return FALSE;
  must (tall_root_read (&root, &operation, &error));
  *state = root.state;
  return root.exists;
}

/* Replaces the lineage, 16 bytes, in what looks like a state cell: `s @R=` and 84 bytes. */
static void
hide_lineage (char *line)
{
  char *value = strrchr (line, '='); /* values are in hex */
  if (value != NULL && strlen (value + 1) == TALL_STATE_SIZE * 2 && strstr (line, " s @") != NULL)
    memset (value + 1 + 52 * 2, '-', TALL_TOKEN_SIZE * 2);
}

/**
 * tall_copy_dump:
 *
 * Returns: (transfer full): everything in the tables but `meta`, with the lineages hidden
 */
char *
tall_copy_dump (TallTable *table)
{
  g_autofree char *dump = tall_test_dump (table);
  g_auto (GStrv) lines = g_strsplit (dump, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    hide_lineage (lines[i]);
  return g_strjoinv ("\n", lines);
}

static TallWriteOptions
make_options (TallCopySide *side, guint i, guint round)
{
  TallWriteOptions options = { .has_token = TRUE };
  memset (options.token, (int)(16 * round + i + 1), sizeof options.token);
  side->clock.now += 10;
  return options;
}

static void
put_order (TallCopySide *side, TallOrder *order, guint i, guint round)
{
  TallWriteOptions options = make_options (side, i, round);
  must (tall_front_put_order (side->front, order, &options, NULL, &error));
}

static void
put_customer (TallCopySide *side, TallCustomer *customer, guint i, guint round)
{
  TallWriteOptions options = make_options (side, i, round);
  must (tall_front_put_customer (side->front, customer, &options, NULL, &error));
}

static void
delete_both (TallCopySide *side, const TallOrder *order, const char *customer, guint i, guint round)
{
  TallWriteOptions options = make_options (side, i, round);
  must (tall_front_delete_order (side->front, order->customer_number, order->order_number, &options,
                                 &error));
  must (tall_front_delete_customer (side->front, customer, &options, &error));
}

/* The same in whatever layout: every order and customer is stored; of three, one is replaced, one
 * is deleted, and of these every other one is stored again. */
void
tall_copy_populate (TallCopySide *side, guint n)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (SEED);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (TallOrder) order = tall_test_random_order (rand, MOST_LINES);
      g_autoptr (TallOrder) other = tall_test_random_order (rand, MOST_LINES);
      g_autoptr (TallCustomer) customer = tall_test_random_customer (rand);
      other->customer_number =
          tall_arena_strdup (tall_order_get_arena (other), order->customer_number);
      other->order_number = tall_arena_strdup (tall_order_get_arena (other), order->order_number);
      put_order (side, order, i, 0);
      put_customer (side, customer, i, 1);
      if (i % 3 == 1)
        put_order (side, other, i, 2);
      if (i % 3 == 2)
        delete_both (side, order, customer->number, i, 3);
      if (i % 6 == 5)
        put_order (side, other, i, 4);
    }
}

/**
 * tall_copy_list_numbers:
 *
 * Returns: (transfer none): of each item of tall_copy_populate() the numbers of the order's
 * customer, of the order, and of the customer, in @arena
 */
const char *const *
tall_copy_list_numbers (TallArena *arena, guint n)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (SEED);
  const char **numbers = tall_arena_newa0 (arena, const char *, 3 * n);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (TallOrder) order = tall_test_random_order (rand, MOST_LINES);
      g_autoptr (TallOrder) other G_GNUC_UNUSED = tall_test_random_order (rand, MOST_LINES);
      g_autoptr (TallCustomer) customer = tall_test_random_customer (rand);
      numbers[3 * i] = tall_arena_strdup (arena, order->customer_number);
      numbers[3 * i + 1] = tall_arena_strdup (arena, order->order_number);
      numbers[3 * i + 2] = tall_arena_strdup (arena, customer->number);
    }
  return numbers;
}
