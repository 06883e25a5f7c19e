/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/bulk/loads.h"
#include "store/follow.h"
#include "store/record/deployment.h"
#include "store/record/generation.h"
#include "store/verify/verify.h"
#include "table/merged-plan.h"
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
  g_autofree char *indexes =
      next != NULL ? tall_indexes_print (next->index, next->indexes, ", ") : NULL;
  g_autofree char *text = next == NULL
                              ? g_strdup (phase)
                              : g_strdup_printf ("%s, to layout %s, key strategy %s, index %s",
                                                 phase, next->layout, next->key_strategy, indexes);
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

/* A hint that an order is to have. */
typedef struct
{
  TallSuspect suspect; /* if it has not; in the arena of the walk, like … */
  const char *table;
  TallSlice row; /* key */
} Expected;

/* A walk over the tables of the layout. Its place:
 *
 *     u16 length, customer, then the place of the scan
 */
typedef struct
{
  TallVerify *verify;
  TallVerifyScan *scan;
  TallArena *arena;     /* of the rows that are looked for next */
  GArray *expected;     /* owned; of Expected: these rows */
  GByteArray *customer; /* part of the key of the last one, which is in the sample */
} Walk;

/* The order lacks the row. It is looked at as a whole, so once is enough. */
static void
miss (TallVerify *self, const Expected *expected)
{
  guint n = self->suspects->len;
  const TallSuspect *last = n > 0 ? &g_array_index (self->suspects, TallSuspect, n - 1) : NULL;
  const TallSuspect *suspect = &expected->suspect;
  if (last == NULL || last->pair != NULL || last->kinds != suspect->kinds
      || !tall_slice_equal (last->key, suspect->key)
      || !tall_slice_equal (last->order, suspect->order))
    tall_verify_suspect (self, suspect);
}

/* Looks for rows that orders are to have.
 * @broken: (inout): whether one cannot be read; only the first is reported */
static gboolean
find_some (Walk *walk, const Expected *expected, guint n, gboolean *broken, GError **error)
{
  TallVerify *self = walk->verify;
  g_auto (TallVerifyStray) gap = { expected->table, g_byte_array_new (), 1, NULL };
  g_autoptr (TallMergedPlan) plan = tall_merged_plan_new ();
  for (guint i = 0; i < n; i++)
    tall_read_plan_add_get (plan->asked, expected[i].table, expected[i].row);
  gboolean read =
      tall_merged_plan_read (plan, self->context->table, tall_verify_deadline (), &gap.cause);
  if (!read && !tall_error_is_unreadable (gap.cause))
    {
      g_propagate_error (error, g_steal_pointer (&gap.cause));
      return FALSE;
    }
  for (guint i = 0; i < n; i++)
    if (!read && n > 1 && !find_some (walk, &expected[i], 1, broken, error))
      return FALSE;
    else if (read && plan->results[i].n_rows == 0)
      miss (self, &expected[i]);
  if (read || n > 1 || *broken)
    return TRUE;
  *broken = TRUE;
  tall_bytes_set (gap.row, expected->row);
  tall_verify_report_stray (self, &gap);
  return TRUE;
}

/* Looks for all of them, and begins anew. */
static gboolean
find_expected (Walk *walk, GError **error)
{
  gboolean broken = FALSE;
  if (walk->expected->len > 0
      && !find_some (walk, (const Expected *)(gpointer)walk->expected->data, walk->expected->len,
                     &broken, error))
    return FALSE;
  g_array_set_size (walk->expected, 0);
  g_clear_pointer (&walk->arena, tall_arena_free);
  walk->arena = tall_arena_new (0);
  return TRUE;
}

/* Remembers the hints that a sound order is to have. */
static void
expect (Walk *walk, const TallVerifyLook *look, const TallSuspect *suspect)
{
  for (guint i = 0; look->hints != NULL && i < look->hints->len; i++)
    {
      const TallHint *hint = tall_index_get (look->hints, i);
      Expected expected = { *suspect, hint->table,
                            tall_slice_dup (walk->arena, tall_slice_array (hint->row)) };
      expected.suspect.key = tall_slice_dup (walk->arena, suspect->key);
      expected.suspect.order = tall_slice_dup (walk->arena, suspect->order);
      expected.suspect.kinds = 1u << TALL_FINDING_MISSING_HINT;
      g_array_append_val (walk->expected, expected);
    }
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
  TallSuspect suspect = { .key = look.key.customer,
                          .order = look.key.order,
                          .kinds = tall_verify_look_kinds (&look),
                          .fingerprint = look.fingerprint };
  if (suspect.kinds != 0)
    tall_verify_suspect (self, &suspect);
  else
    expect (walk, &look, &suspect);
  return walk->expected->len < HINTS_A_CALL || find_expected (walk, error);
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

/* The part may end here, if no rows are still to be looked for. */
static void
keep_place (Walk *walk)
{
  TallVerify *self = walk->verify;
  if (walk->expected->len > 0)
    return;
  g_byte_array_set_size (self->place, 0);
  tall_bytes_append_u16 (self->place, (guint16)walk->customer->len);
  tall_bytes_append (self->place, tall_slice_array (walk->customer));
  tall_verify_scan_append_place (walk->scan, self->place);
  tall_verify_keep (self);
}

static gboolean
walk_groups (Walk *walk, gboolean *ended, GError **error)
{
  TallVerify *self = walk->verify;
  g_autoptr (GError) cause = NULL;
  while (!*ended && !tall_verify_is_over (self))
    {
      const TallVerifyGroup *group = tall_verify_scan_next (walk->scan, &cause);
      *ended = group == NULL;
      for (guint i = 0; group != NULL && i < group->strays->len; i++, self->n_looked++)
        tall_verify_report_stray (self, &g_array_index (group->strays, TallVerifyStray, i));
      if (group != NULL && group->customer.len > 0 && !is_sampled (walk, group->customer))
        tall_verify_scan_skip_customer (walk->scan, tall_slice_array (walk->customer));
      else if (group != NULL && group->customer.len > 0 && !look_at_group (walk, group, error))
        return FALSE;
      if (group != NULL)
        keep_place (walk);
    }
  if (cause != NULL)
    g_propagate_error (error, g_steal_pointer (&cause));
  else if (find_expected (walk, error))
    {
      keep_place (walk);
      return TRUE;
    }
  return FALSE;
}

/**
 * tall_verify_walk_layout:
 * @ended: (out): whether this was all
 *
 * Looks at customers and orders, from the place on.
 *
 * Returns: FALSE if a table could not be read now, or the place is none
 */
gboolean
tall_verify_walk_layout (TallVerify *self, gboolean *ended, GError **error)
{
  Walk walk = { .verify = self,
                .expected = g_array_new (FALSE, FALSE, sizeof (Expected)),
                .customer = g_byte_array_new () };
  TallReader place = tall_reader (tall_slice_array (self->place));
  gboolean done = TRUE;
  walk.arena = tall_arena_new (0);
  walk.scan = tall_verify_scan_new (self->context, self->customer);
  if (place.rest.len > 0)
    {
      tall_bytes_set (walk.customer, tall_reader_take (&place, tall_reader_u16 (&place)));
      done = tall_verify_scan_go_to (walk.scan, &place);
    }
  *ended = FALSE;
  done = done ? walk_groups (&walk, ended, error) : tall_verify_refuse_cursor (FALSE, error);
  tall_verify_scan_free (walk.scan);
  g_array_unref (walk.expected);
  tall_arena_free (walk.arena);
  g_byte_array_unref (walk.customer);
  return done;
}
