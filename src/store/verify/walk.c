/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/bulk/loads.h"
#include "store/follow.h"
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

#define MOST_TOGETHER 512

/* A walk over the tables of the layout. Its place:
 *
 *     u16 length, customer, then the place of the scan
 */
typedef struct
{
  TallVerify *verify;
  TallVerifyScan *scan;
  GArray *looks;        /* owned; of TallVerifyLook: those whose hints are looked for together */
  guint n_hints;        /* of them */
  GByteArray *customer; /* part of the key of the last one, which is in the sample */
} Walk;

/* Looks for the hints of all of them, and begins anew. */
static gboolean
end_looks (Walk *walk, GError **error)
{
  g_auto (TallVerifyStray) gap = { 0 };
  TallVerifyLook *looks = (TallVerifyLook *)(gpointer)walk->looks->data;
  if (!tall_verify_find_missing (looks, walk->looks->len, &gap, error))
    return FALSE;
  for (guint i = 0; i < walk->looks->len; i++)
    {
      guint32 misses = looks[i].missing->len > 0 ? 1u << TALL_FINDING_MISSING_HINT : 0;
      const TallSuspect suspect = { .subject = &tall_verify_orders,
                                    .key = looks[i].key.customer,
                                    .order = looks[i].key.order,
                                    .kinds = tall_verify_look_kinds (&looks[i]) | misses,
                                    .fingerprint = looks[i].fingerprint };
      if (suspect.kinds != 0)
        tall_verify_suspect (walk->verify, &suspect);
    }
  if (gap.cause != NULL)
    tall_verify_report_stray (walk->verify, &gap);
  g_array_set_size (walk->looks, 0);
  walk->n_hints = 0;
  return TRUE;
}

static gboolean
look_at_group (Walk *walk, const TallVerifyGroup *group, GError **error)
{
  TallVerify *self = walk->verify;
  TallVerifyLook look = { 0 };
  gboolean done = tall_verify_look_at (&look, self->context, group, error);
  look.row = NULL; /* goes with the group */
  g_array_append_val (walk->looks, look);
  if (!done)
    return FALSE;
  self->n_looked++;
  if (group->order.len == 0)
    self->part->n_customers++;
  else
    {
      self->part->n_orders++;
      self->part->n_marks += look.root.exists && !look.root.state.live;
    }
  walk->n_hints += look.hints != NULL ? look.hints->len : 0;
  return walk->looks->len + walk->n_hints < MOST_TOGETHER || end_looks (walk, error);
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

/* The part may end here, if no hints are still to be looked for. */
static void
keep_place (Walk *walk)
{
  TallVerify *self = walk->verify;
  if (walk->looks->len > 0)
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
  else if (end_looks (walk, error))
    {
      keep_place (walk);
      return TRUE;
    }
  return FALSE;
}

/**
 * tall_verify_walk_layout:
 *
 * Looks at customers and orders.
 */
gboolean
tall_verify_walk_layout (TallVerify *self,
                         const TallVerifySubject *subject G_GNUC_UNUSED,
                         gboolean *ended,
                         GError **error)
{
  g_autoptr (TallVerifyScan) scan = tall_verify_scan_new (self->context, self->customer);
  g_autoptr (GArray) looks = g_array_new (FALSE, FALSE, sizeof (TallVerifyLook));
  g_autoptr (GByteArray) customer = g_byte_array_new ();
  Walk walk = { .verify = self, .scan = scan, .looks = looks, .customer = customer };
  TallReader place = tall_reader (tall_slice_array (self->place));
  g_array_set_clear_func (looks, (GDestroyNotify)tall_verify_look_clear);
  if (place.rest.len > 0)
    {
      tall_bytes_set (customer, tall_reader_take (&place, tall_reader_u16 (&place)));
      tall_verify_scan_go_to (scan, &place);
    }
  *ended = FALSE;
  return walk_groups (&walk, ended, error);
}
