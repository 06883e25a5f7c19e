/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Two writers, whose clocks are an hour apart, and a reader on a few orders. Every order says in
 * each of its lines who wrote it and as what, so that the reader sees whether it is whole.
 * Revisions say what came last: nothing that was acknowledged is ever missing. */
#include <string.h>

#include "tall-error.h"
#include "table/memory-table.h"
#include "tall-test-directory.h"
#include "tall-test-store.h"
#include "tall-torn-table.h"
#include "tall-must.h"

#define N_ORDERS 6
#define N_WRITERS 2
#define HOUR (3600 * 1000)
#define TOGETHER 64 /* rows, more than any of these orders has */

typedef struct
{
  const char *layout;
  gboolean rocksdb;   /* or memory */
  gboolean torn;      /* rows are not read together */
  gboolean mixed;     /* the first writer claims, others do all in one step */
  guint failures;     /* one call of so many of a writer fails; 0 = none */
  guint n_operations; /* of all three together */
} Race;

typedef enum
{
  UNTRIED,
  REFUSED,
  UNKNOWN,
  STORED,
} Outcome;

typedef struct
{
  Outcome outcome;
  guint order;
  gint64 revision;
} Put;

typedef struct
{
  const Race *race;
  TallTable *table;              /* what the writers and the reader share */
  TallMemoryTable *memory;       /* the one behind it, if it is mixed */
  GMutex mutex;                  /* for the three below */
  gint64 acknowledged[N_ORDERS]; /* the greatest revision */
  gint64 deleted[N_ORDERS];      /* how many deletes have begun */
  gboolean done;                 /* the writers have */
  Put *puts[N_WRITERS];          /* n_puts of them; each is its writer's until that is done */
  guint n_puts;
  guint n_read;
  guint n_unknown;
} Arena;

typedef struct
{
  Arena *arena;
  guint number;
  TallTable *table;
  TallStore *store;
  GRand *rand;
} Writer;

static char *
order_number (guint order)
{
  return g_strdup_printf ("%u", 10248 + order);
}

static gint64
shifted_now (gpointer data)
{
  return g_get_real_time () / 1000 + GPOINTER_TO_INT (data) * HOUR;
}

static TallStore *
open_store (TallTable *table, gint clock, gint64 patience)
{
  TallStoreHooks hooks = {
    .now = shifted_now,
    .patience = patience,
    .data = GINT_TO_POINTER (clock),
  };
  return must (tall_store_open (table, NULL, NULL, &hooks, &error));
}

static void
acknowledge (Arena *arena, guint order, gint64 revision)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&arena->mutex);
  arena->acknowledged[order] = MAX (arena->acknowledged[order], revision);
}

static void
check_refusal (const GError *error, gboolean failures)
{
  if (g_error_matches (error, TALL_ERROR, TALL_ERROR_CONFLICT)
      || (failures && g_error_matches (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE))
      || (failures && g_error_matches (error, TALL_ERROR, TALL_ERROR_TIMED_OUT)))
    return;
  g_error ("a put failed: %s", error->message);
}

static void
put (Writer *self, guint sequence)
{
  Arena *arena = self->arena;
  g_autoptr (GError) error = NULL;
  Put *log = &arena->puts[self->number][sequence];
  log->order = (guint)g_rand_int_range (self->rand, 0, N_ORDERS);
  g_autofree char *number = order_number (log->order);
  g_autoptr (TallOrder) order = tall_test_marked_order (number, self->number, sequence,
                                                        (guint)g_rand_int_range (self->rand, 1, 6));
  TallWriteOptions options = {
    .condition = g_rand_int_range (self->rand, 0, 8) == 0 ? TALL_IF_ABSENT : TALL_IF_ANY,
    .has_token = g_rand_int_range (self->rand, 0, 8) == 0,
  };
  memcpy (options.token, &sequence, sizeof sequence);
  options.token[15] = (guint8)(self->number + 1);

  if (tall_front_put_order (TALL_FRONT (self->store), order, &options, &log->revision, &error))
    {
      log->outcome = STORED;
      acknowledge (arena, log->order, log->revision);
    }
  else if (arena->race->failures > 0
           && g_error_matches (error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN))
    log->outcome = UNKNOWN;
  else
    {
      check_refusal (error, arena->race->failures > 0);
      log->outcome = REFUSED;
    }
}

static void
delete_order (Writer *self)
{
  Arena *arena = self->arena;
  g_autoptr (GError) error = NULL;
  guint order = (guint)g_rand_int_range (self->rand, 0, N_ORDERS);
  g_autofree char *number = order_number (order);

  g_mutex_lock (&arena->mutex);
  arena->deleted[order]++;
  g_mutex_unlock (&arena->mutex);
  if (!tall_front_delete_order (TALL_FRONT (self->store), TALL_TEST_CUSTOMER, number, NULL, &error)
      && !g_error_matches (error, TALL_ERROR, TALL_ERROR_NOT_FOUND)
      && !(arena->race->failures > 0
           && g_error_matches (error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN)))
    check_refusal (error, arena->race->failures > 0);
}

static gpointer
run_writer (gpointer data)
{
  Writer *self = data;
  for (guint i = 0; i < self->arena->n_puts; i++)
    {
      put (self, i);
      if (g_rand_int_range (self->rand, 0, 12) == 0)
        delete_order (self);
      if (TALL_IS_FAILING_TABLE (self->table) && g_rand_int_range (self->rand, 0, 20) == 0)
        tall_failing_table_deliver_late (TALL_FAILING_TABLE (self->table));
    }
  return NULL;
}

static TallFailure
fail_sometimes (TallFailingTable *table G_GNUC_UNUSED,
                const TallCall *call G_GNUC_UNUSED,
                gpointer data)
{
  Writer *writer = data;
  if (g_rand_int_range (writer->rand, 0, (gint32)writer->arena->race->failures) != 0)
    return TALL_FAILURE_NONE;
  gint32 end = writer->arena->race->mixed ? TALL_FAILURE_FALSE : TALL_FAILURE_FALSE + 1;
  return (TallFailure)g_rand_int_range (writer->rand, TALL_FAILURE_BEFORE, end);
}

/* What is read is whole, is what its writer wrote, and is not older than what had been acknowledged
 * before. */
static void
read_order (Arena *arena, TallStore *store, guint order, gint64 *last)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *number = order_number (order);
  gint64 revision;

  g_mutex_lock (&arena->mutex);
  gint64 acknowledged = arena->acknowledged[order];
  gboolean may_be_absent = arena->acknowledged[order] == 0 || arena->deleted[order] > 0;
  g_mutex_unlock (&arena->mutex);
  g_autoptr (TallOrder) found =
      tall_front_get_order (TALL_FRONT (store), TALL_TEST_CUSTOMER, number, &revision, &error);
  if (g_error_matches (error, TALL_ERROR, TALL_ERROR_NOT_FOUND))
    {
      g_mutex_lock (&arena->mutex);
      may_be_absent = may_be_absent || arena->deleted[order] > 0;
      g_mutex_unlock (&arena->mutex);
      g_assert_true (may_be_absent);
      return;
    }
  g_assert_no_error (error);

  guint writer, sequence;
  tall_test_read_mark (found, &writer, &sequence);
  g_assert_cmpstr (found->order_number, ==, number);
  g_assert_cmpuint (writer, <, N_WRITERS);
  g_assert_cmpuint (sequence, <, arena->n_puts);
  g_assert_cmpint (revision, >=, acknowledged);
  g_assert_cmpint (revision, >=, *last);
  *last = revision;
  arena->n_read++;
}

static gpointer
run_reader (gpointer data)
{
  Arena *arena = data;
  g_autoptr (TallStore) store = open_store (arena->table, 0, 0);
  gint64 last[N_ORDERS] = { 0 };
  gboolean done = FALSE;

  for (guint i = 0; !done || i < arena->race->n_operations / 3; i++)
    {
      read_order (arena, store, i % N_ORDERS, &last[i % N_ORDERS]);
      g_mutex_lock (&arena->mutex);
      done = arena->done;
      g_mutex_unlock (&arena->mutex);
    }
  return NULL;
}

/* What is there at the end is the last that was acknowledged, unless a delete, or a put of which
 * nobody knows, has come after. */
static void
check_end (Arena *arena, TallStore *store, guint order)
{
  g_autofree char *number = order_number (order);
  TallState state;
  gint64 last = 0;
  read_order (arena, store, order, &last);
  g_assert_true (tall_test_read_state (store, number, &state, NULL));
  g_assert_cmpint (state.revision, >=, arena->acknowledged[order]);
  if (!state.live)
    {
      g_assert_cmpint (arena->deleted[order], >, 0);
      return;
    }

  gint64 revision;
  g_autoptr (TallOrder) found = must (
      tall_front_get_order (TALL_FRONT (store), TALL_TEST_CUSTOMER, number, &revision, &error));
  guint writer, sequence;
  tall_test_read_mark (found, &writer, &sequence);
  const Put *put_log = &arena->puts[writer][sequence];
  g_assert_cmpuint (put_log->order, ==, order);
  if (put_log->outcome == STORED)
    g_assert_cmpint (put_log->revision, ==, revision);
  else
    g_assert_cmpint (put_log->outcome, ==, UNKNOWN);
  if (revision > arena->acknowledged[order])
    g_assert_cmpint (put_log->outcome, ==, UNKNOWN);
}

/* No revision was acknowledged for two contents. */
static void
check_revisions (Arena *arena)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  guint n_stored = 0;
  for (guint i = 0; i < N_WRITERS; i++)
    for (guint j = 0; j < arena->n_puts; j++)
      {
        const Put *log = &arena->puts[i][j];
        arena->n_unknown += log->outcome == UNKNOWN;
        if (log->outcome != STORED)
          continue;
        n_stored++;
        g_assert_true (g_hash_table_add (seen, g_strdup_printf ("%u/%" G_GINT64_FORMAT, log->order,
                                                                log->revision)));
      }
  g_assert_cmpuint (n_stored, >, arena->n_puts);
}

static void
writer_init (Writer *self, Arena *arena, guint number)
{
  self->arena = arena;
  self->number = number;
  self->rand = g_rand_new_with_seed (g_test_rand_int () & 0x7fffffff);
  self->table = arena->race->failures > 0 ? tall_failing_table_new (arena->table)
                                          : g_object_ref (arena->table);
  if (arena->race->mixed)
    {
      tall_memory_table_set_together (arena->memory, number == 0 ? 1 : TOGETHER);
      tall_failing_table_set_info (TALL_FAILING_TABLE (self->table), TALL_FAILING_EMBEDDED);
    }
  self->store =
      open_store (self->table, (gint)number, arena->race->failures > 0 ? G_USEC_PER_SEC / 50 : 0);
  if (arena->race->failures > 0)
    tall_failing_table_set_hooks (TALL_FAILING_TABLE (self->table), fail_sometimes, NULL, self);
}

static void
writer_clear (Writer *self)
{
  g_clear_object (&self->store);
  if (TALL_IS_FAILING_TABLE (self->table))
    tall_failing_table_deliver_late (TALL_FAILING_TABLE (self->table));
  g_clear_object (&self->table);
  g_clear_pointer (&self->rand, g_rand_free);
}

static void
run (Arena *arena)
{
  Writer writers[N_WRITERS] = { 0 };
  GThread *threads[N_WRITERS];
  g_autoptr (TallStore) store = open_store (arena->table, 0, 0);
  GThread *reader = g_thread_new ("reader", run_reader, arena);

  for (guint i = 0; i < N_WRITERS; i++)
    {
      arena->puts[i] = g_new0 (Put, arena->n_puts);
      writer_init (&writers[i], arena, i);
    }
  for (guint i = 0; i < N_WRITERS; i++)
    threads[i] = g_thread_new ("writer", run_writer, &writers[i]);
  for (guint i = 0; i < N_WRITERS; i++)
    g_thread_join (threads[i]);
  g_mutex_lock (&arena->mutex);
  arena->done = TRUE;
  g_mutex_unlock (&arena->mutex);
  g_thread_join (reader);
  for (guint i = 0; i < N_WRITERS; i++)
    writer_clear (&writers[i]);

  check_revisions (arena);
  for (guint i = 0; i < N_ORDERS; i++)
    check_end (arena, store, i);
}

static void
test_race (gconstpointer data)
{
  const Race *race = data;
  g_autofree char *directory = race->rocksdb ? tall_test_directory_new () : NULL;
  g_autoptr (TallTable) table = tall_test_open_table (directory);
  Arena arena = { .race = race, .n_puts = race->n_operations / 3 };
  tall_test_create (table, race->layout, "hashed", 0);
  arena.memory = race->mixed ? TALL_MEMORY_TABLE (table) : NULL;
  arena.table = race->torn ? tall_torn_table_new (table) : g_object_ref (table);
  g_mutex_init (&arena.mutex);
  run (&arena);
  g_test_message ("%u whole orders read, %u outcomes unknown", arena.n_read, arena.n_unknown);
  g_assert_cmpuint (arena.n_read, >, 0);

  for (guint i = 0; i < N_WRITERS; i++)
    g_free (arena.puts[i]);
  g_mutex_clear (&arena.mutex);
  g_clear_object (&arena.table);
  g_clear_object (&table);
  if (directory != NULL)
    tall_test_directory_remove (directory);
}

/* The layout of several rows and the one of a single row that run for longer than the others. */
static guint
choose_n_operations (const TallLayout *layout, gboolean failing)
{
  if (layout == &tall_layout_record_type)
    return failing ? 12000 : 100000;
  if (layout == &tall_layout_blob)
    return 30000;
  return failing ? 3000 : 9000;
}

static void
add (const TallLayout *layout, const char *kind)
{
  Race *race = g_new (Race, 1);
  gboolean mixed = g_str_equal (kind, "mixed");
  gboolean failing = mixed || g_str_equal (kind, "failing");
  *race = (Race){
    .layout = layout->name,
    .rocksdb = g_str_equal (kind, "rocksdb"),
    .torn = !layout->single_row,
    .mixed = mixed,
    .failures = layout->single_row ? 20 : 40,
    .n_operations = choose_n_operations (layout, failing),
  };
  if (!failing)
    race->failures = 0;
  g_autofree char *path = g_strdup_printf ("/race/%s/%s", layout->name, kind);
  g_test_add_data_func_full (path, race, test_race, g_free);
}

int
main (int argc, char *argv[])
{
  guint n;
  const TallLayout *const *layouts = tall_layouts (&n);
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < n; i++)
    {
      add (layouts[i], "memory");
      add (layouts[i], "rocksdb");
      add (layouts[i], "failing");
      add (layouts[i], "mixed");
    }
  return g_test_run ();
}
