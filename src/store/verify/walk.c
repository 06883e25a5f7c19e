/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/canonical.h"
#include "store/bulk/loads.h"
#include "store/follow.h"
#include "store/read/index.h"
#include "store/record/deployment.h"
#include "store/record/generation.h"
#include "store/verify/verify.h"
#include "tall-error.h"
#include "tall-json.h"

#define META "meta"
#define RECORD_ROW tall_slice_str ("deployment")

/* So that one part holds all notes. */
#define MOST_LOADS 200

static void
add (TallVerify *self, TallFindingKind kind, guint n_rows, const char *message)
{
  TallFinding finding = {
    .kind = kind, .table = META, .row = RECORD_ROW, .n_rows = n_rows, .message = message
  };
  tall_verify_report (self, &finding);
}

static void
add_load (TallVerify *self, const TallUnfinishedLoad *load)
{
  TallArena *arena = self->part->arena;
  TallUnfinishedLoad *copy = tall_arena_new0 (arena, TallUnfinishedLoad);
  g_autofree char *name = load->name != NULL ? g_utf8_make_valid (load->name, -1) : NULL;
  char begun[TALL_DATE_TEXT_SIZE];
  *copy = (TallUnfinishedLoad){ tall_arena_strdup (arena, name), load->begun, load->stored };
  TallFinding finding = { .kind = TALL_FINDING_UNFINISHED_LOAD,
                          .table = META,
                          .row = tall_slice_str ("load/"),
                          .n_rows = 1,
                          .load = copy };
  finding.message =
      tall_arena_printf (arena,
                         "%s, begun %s, has stored %" G_GINT64_FORMAT " orders and customers",
                         name != NULL ? name : "a load without a name",
                         tall_date_format (load->begun, begun), load->stored);
  tall_verify_report (self, &finding);
}

static gboolean
add_loads (TallVerify *self, GError **error)
{
  g_autoptr (GPtrArray) loads = tall_loads_list (self->context, error);
  for (guint i = 0; loads != NULL && i < MIN (loads->len, MOST_LOADS); i++)
    add_load (self, g_ptr_array_index (loads, i));
  return loads != NULL;
}

static void
add_migration (TallVerify *self, const TallDeployment *deployment)
{
  const TallDeployment *next = deployment->next;
  const char *phase = tall_migration_phase_get_name (deployment->migration.phase);
  g_autofree char *text =
      next == NULL
          ? g_strdup (phase)
          : g_strdup_printf ("%s, to layout %s, key strategy %s, index %s", phase, next->layout,
                             next->key_strategy, tall_index_kind_get_name (next->index));
  add (self, TALL_FINDING_UNFINISHED_MIGRATION, 1, text);
}

/* Those that cannot be listed now, as only HBase's master knows them, harm nobody. */
static guint
count_unused (TallTable *table, guint64 generation)
{
  guint n = 0;
  g_auto (GStrv) names = tall_table_list_tables (table, tall_verify_deadline (), NULL);
  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    {
      g_autofree char *short_name = NULL;
      n += !g_str_equal (names[i], META)
           && tall_generation_split_name (names[i], &short_name) != generation;
    }
  return n;
}

static TallTable *
get_all_tables (const TallStoreContext *context)
{
  return context->follower != NULL ? tall_follower_get_table (context->follower) : context->table;
}

/**
 * tall_verify_count_unused:
 *
 * Returns: how many tables of other generations there are
 */
guint
tall_verify_count_unused (const TallStoreContext *context)
{
  return count_unused (get_all_tables (context), MAX (context->generation, 1));
}

static void
add_tables (TallVerify *self, TallTable *table, guint64 generation)
{
  guint n = count_unused (table, generation);
  g_autofree char *text =
      g_strdup_printf ("%u tables of a generation other than %" G_GUINT64_FORMAT, n, generation);
  if (n > 0)
    add (self, TALL_FINDING_UNUSED_TABLES, n, text);
}

/**
 * tall_verify_add_notes:
 *
 * Adds what loads and migrations have left, or are doing.
 *
 * Returns: FALSE if the deployment record or the rows beside it could not be read now
 */
gboolean
tall_verify_add_notes (TallVerify *self, GError **error)
{
  const TallStoreContext *context = self->context;
  TallTable *table = get_all_tables (context);
  g_autoptr (TallDeployment) deployment =
      tall_deployment_read (table, tall_verify_deadline (), error);
  if (deployment == NULL || !add_loads (self, error))
    return FALSE;
  if (deployment->migration.phase != TALL_MIGRATION_NONE)
    add_migration (self, deployment);
  else
    add_tables (self, table, deployment->migration.generation);
  return TRUE;
}

#define HINTS_A_CALL 512

/* An order that is to have a hint. */
typedef struct
{
  TallOrderKey key; /* owned */
  TallSlice hint;   /* row key, in the arena of the walk */
  guint8 fingerprint[TALL_MD5_SIZE];
  guint n_before; /* suspects */
} Expected;

/* A walk over the tables of the layout. Its place in a cursor:
 *
 *     u16 length, customer, then the place of the scan
 */
typedef struct
{
  TallVerify *verify;
  TallVerifyScan *scan;
  TallArena *arena;     /* of the keys of the hints that the next call looks for */
  GArray *expected;     /* of Expected */
  GByteArray *customer; /* part of the key of the last one, which is in the sample */
  gboolean ended;
} Walk;

/* Nothing is under way in a row that no version writes: it is reported at once. */
static gboolean
on_stray (const char *table, TallSlice row, guint n_rows, const GError *error, gpointer data)
{
  TallVerify *self = ((Walk *)data)->verify;
  g_autofree char *many =
      g_strdup_printf ("%u rows between those of an order have keys of no row of the layout; this "
                       "is the first",
                       n_rows);
  TallFinding finding = { .kind = TALL_FINDING_STRAY_ROW,
                          .table = table,
                          .row = row,
                          .n_rows = n_rows,
                          .message =
                              n_rows == 1 ? "its key is that of no row of the layout" : many };
  self->n_looked++;
  if (error != NULL)
    tall_verify_report_unreadable (self, table, row, error);
  else
    tall_verify_report (self, &finding);
  return !tall_verify_is_over (self);
}

static void
expected_clear (Expected *self)
{
  tall_order_key_clear (&self->key);
}

static void
expect_entries (Walk *walk, const TallVerifyLook *look)
{
  for (guint i = 0; look->entries != NULL && i < look->entries->len; i++)
    {
      const TallEntry *entry = g_ptr_array_index (look->entries, i);
      Expected expected = { .hint = tall_slice_dup (walk->arena, tall_slice_array (entry->row)),
                            .n_before = walk->verify->suspects->len };
      tall_order_key_init_from_parts (&expected.key, look->key.customer, look->key.order);
      tall_verify_make_fingerprint (&look->root, expected.fingerprint);
      g_array_append_val (walk->expected, expected);
    }
}

/* Begins the next call. */
static void
forget_expected (Walk *walk)
{
  g_array_set_size (walk->expected, 0);
  g_clear_pointer (&walk->arena, tall_arena_free);
  walk->arena = tall_arena_new (0);
}

static TallReadResult *
read_hints (const Walk *walk, const TallSlice *keys, guint n, GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_gets (plan, TALL_INDEX_TABLE, keys, n);
  return tall_table_read (walk->verify->context->table, plan, tall_verify_deadline (), error);
}

/* Reports the first of the hints that cannot be read. Whether others of the call are missing stays
 * open. */
static gboolean
find_unreadable (Walk *walk, const TallSlice *keys, guint n, GError **error)
{
  TallVerify *self = walk->verify;
  self->part->is_broken = TRUE;
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GError) cause = NULL;
      g_autoptr (TallReadResult) result = read_hints (walk, &keys[i], 1, &cause);
      if (result != NULL)
        continue;
      if (tall_error_is_unreadable (cause))
        tall_verify_report_unreadable (self, TALL_INDEX_TABLE, keys[i], cause);
      else
        g_propagate_error (error, g_steal_pointer (&cause));
      return cause != NULL;
    }
  return TRUE;
}

/* Suspects those of the orders that have no hint. They come where they would come if each were
 * looked for by itself, so what is found has an order. */
static void
suspect_missing (Walk *walk, const TallRows *rows)
{
  guint at = 0; /* absent rows are left out, and the others are in the order asked for */
  guint n_missing = 0;
  for (guint i = 0; i < walk->expected->len; i++)
    {
      const Expected *expected = &g_array_index (walk->expected, Expected, i);
      if (at < rows->n_rows && tall_slice_equal (rows->rows[at].key, expected->hint))
        at++;
      else
        tall_verify_suspect_rows (walk->verify, expected->n_before + n_missing++, &expected->key,
                                  expected->fingerprint, 1u << TALL_FINDING_MISSING_HINT);
    }
}

static gboolean
check_hints (Walk *walk, GError **error)
{
  guint n = walk->expected->len;
  if (n == 0)
    return TRUE;
  gboolean done = TRUE;
  g_autoptr (GError) cause = NULL;
  TallSlice *keys = tall_arena_newa0 (walk->arena, TallSlice, n);
  for (guint i = 0; i < n; i++)
    keys[i] = g_array_index (walk->expected, Expected, i).hint;
  g_autoptr (TallReadResult) result = read_hints (walk, keys, n, &cause);
  if (result != NULL)
    suspect_missing (walk, &result->results[0]);
  else if (tall_error_is_unreadable (cause))
    done = find_unreadable (walk, keys, n, error);
  else
    {
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  forget_expected (walk);
  return done;
}

static gboolean
look_at_group (Walk *walk, const TallVerifyGroup *group, GError **error)
{
  TallVerify *self = walk->verify;
  g_auto (TallVerifyLook) look = { 0 };
  if (!tall_verify_look_at (&look, self->context, group, error))
    return FALSE;
  self->n_looked++;
  if (group->order.len > 0)
    self->part->n_orders++;
  else
    self->part->n_customers++;
  if (look.findings->len > 0)
    {
      guint8 fingerprint[TALL_MD5_SIZE];
      tall_verify_make_fingerprint (&look.root, fingerprint);
      tall_verify_suspect_rows (self, self->suspects->len, &look.key, fingerprint,
                                tall_verify_look_kinds (&look));
    }
  else
    expect_entries (walk, &look);
  return walk->expected->len < HINTS_A_CALL || check_hints (walk, error);
}

/* Whether the customer is in the sample; one that is not is skipped, with all its orders. */
static gboolean
is_sampled (Walk *walk, TallSlice customer)
{
  guint percent = walk->verify->request->sample;
  if (percent == 0 || tall_slice_equal (customer, tall_slice_array (walk->customer)))
    return TRUE;
  tall_bytes_set (walk->customer, customer);
  return (guint)g_random_int_range (0, 100) < percent;
}

static gboolean
walk_groups (Walk *walk, GError **error)
{
  TallVerify *self = walk->verify;
  g_autoptr (GError) cause = NULL;
  while (!walk->ended && !tall_verify_is_over (self))
    {
      gboolean paused;
      const TallVerifyGroup *group = tall_verify_scan_next (walk->scan, &paused, &cause);
      if (paused)
        break;
      walk->ended = group == NULL;
      if (group != NULL && !is_sampled (walk, group->customer))
        tall_verify_scan_skip_customer (walk->scan, tall_slice_array (walk->customer));
      else if (group != NULL && !look_at_group (walk, group, error))
        return FALSE;
    }
  if (cause == NULL)
    return check_hints (walk, error);
  g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
}

static void
begin (Walk *walk, TallReader *place)
{
  walk->expected = g_array_new (FALSE, FALSE, sizeof (Expected));
  g_array_set_clear_func (walk->expected, (GDestroyNotify)expected_clear);
  forget_expected (walk);
  walk->customer = g_byte_array_new ();
  walk->scan = tall_verify_scan_new (walk->verify->context, walk->verify->customer, on_stray, walk);
  if (place->rest.len == 0)
    return;
  tall_bytes_set (walk->customer, tall_reader_take (place, tall_reader_u16 (place)));
  place->failed = !tall_verify_scan_go_to (walk->scan, place);
}

static void
end (Walk *walk)
{
  tall_verify_scan_free (walk->scan);
  g_array_unref (walk->expected);
  tall_arena_free (walk->arena);
  g_byte_array_unref (walk->customer);
}

/**
 * tall_verify_walk_layout:
 * @place: where to begin; empty: at the beginning. It has failed afterwards if it is not a place
 * @next: (out): where to go on; empty: this was all
 *
 * Looks at customers and orders.
 *
 * Returns: FALSE if a table could not be read now
 */
gboolean
tall_verify_walk_layout (TallVerify *self, TallReader *place, GByteArray *next, GError **error)
{
  Walk walk = { .verify = self };
  begin (&walk, place);
  gboolean done = place->failed || walk_groups (&walk, error);
  if (done && !place->failed && !walk.ended)
    {
      tall_bytes_append_u16 (next, (guint16)walk.customer->len);
      tall_bytes_append (next, tall_slice_array (walk.customer));
      tall_verify_scan_append_place (walk.scan, next);
    }
  end (&walk);
  return done;
}
