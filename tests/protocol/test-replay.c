/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "migrate/migrate.h"
#include "store/commit/root.h"
#include "store/read/index.h"
#include "store/record/deployment.h"
#include "store/record/generation.h"
#include "store/record/tables.h"
#include "table/memory-table.h"
#include "tall-error.h"
#include "tall-failing-table.h"
#include "tall-must.h"
#include "tall-test-orders.h"
#include "tall-test-store.h"

/* Replays what replay.py gives it: one trace after the other, each a list of calls. A client of the
 * store is a thread. It stops before each call, until the trace says that the call is made, and how
 * it ends. What the rows hold then, and what a client gets, must be what the model says. */

#define MOST_CLIENTS 4
#define MOST_WORDS 64
#define BASE                                                                                       \
  (TALL_FIRST_REVISION + 1000000)          /* of which the model's revisions are counted, by twos */
#define LONG (G_GINT64_CONSTANT (1) << 50) /* microseconds that no operation has */
#define HANG (60 * G_USEC_PER_SEC)
#define OPEN "open " /* before what is done by a process that opens the deployment for it */

typedef struct _Replay Replay;

/* One client: what it does, and where it is. */
typedef struct
{
  Replay *replay;
  TallStore *store; /* owned */
  TallTable *table; /* owned: a failing one, of this client alone */
  TallStoreHooks hooks;
  GThread *thread;
  char **todo; /* owned */
  gint64 now;  /* milliseconds */

  /* With the mutex of the replay. */
  gint64 monotonic;
  gboolean has_slept;   /* it waits for a claim: the next read comes at once */
  gboolean is_dropping; /* it has begun to drop tables: the others follow at once */
  gboolean is_migrating;
  const char *waits;    /* static: the kind of the call before which it waits; NULL: none */
  gboolean is_let_on;   /* it may make that call … */
  TallFailure failure;  /* … which ends like that */
  gboolean is_given_up; /* every call of this operation fails from now on */
  gboolean has_crashed; /* and of all that follow */
  GPtrArray *results;   /* owned: what its operations have returned */
  gboolean is_finished;
} Client;

struct _Replay
{
  char *title;
  const TallLayout *layout;
  const TallLayout *next; /* in which it is made again, or to which it moves; NULL: neither */
  gboolean has_index;
  TallTable *memory;  /* owned */
  guint64 generation; /* whose tables count, when rows were compared last */
  guint8 token[TALL_TOKEN_SIZE];
  Client clients[MOST_CLIENTS];
  guint n_clients;
  GMutex mutex;
  GCond cond;
  gboolean is_over; /* with the mutex: whoever still makes calls may make them all */
  char *wrong;      /* owned: what differs; NULL: nothing so far */
};

/* ---- What a client does ---- */

static gint64
client_now (gpointer data)
{
  const Client *self = data;
  return self->now;
}

static gint64
client_monotonic (gpointer data)
{
  Client *self = data;
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->replay->mutex);
  return self->monotonic;
}

static void
client_sleep (gint64 microseconds, gpointer data)
{
  Client *self = data;
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->replay->mutex);
  self->monotonic += microseconds;
  self->has_slept = TRUE;
}

static const char *
kind_of_apply (const TallCall *call)
{
  const TallMutation *first = call->mutations[0];
  return first->changes[first->n_changes - 1].kind == TALL_CHANGE_PUT ? "write" : "remove";
}

static const char *
kind_of (const TallCall *call)
{
  if (call->kind == TALL_CALL_READ)
    return "read";
  if (call->kind == TALL_CALL_DROP_TABLE)
    return "drop";
  if (call->kind == TALL_CALL_APPLY_IF)
    return g_str_equal (call->table, TALL_META_TABLE) ? "record" : "write-if";
  return kind_of_apply (call);
}

static gboolean
is_missing (const Replay *self, const char *table)
{
  g_autoptr (TallTableSpec) spec =
      tall_table_describe_table (self->memory, table, TALL_NO_DEADLINE, NULL);
  return spec == NULL;
}

/* Whether others can meet it. A migrator tries whether the tables that it has sealed refuse a write
 * on a condition. */
static gboolean
is_of_migration (const TallCall *call)
{
  gboolean of_record = g_str_equal (call->table, TALL_META_TABLE);
  return call->kind == (of_record ? TALL_CALL_APPLY_IF : TALL_CALL_APPLY);
}

/* Whether the model has such a call. The record is read at once, and so is what is missing; of the
 * tables that are dropped the model knows one. */
static gboolean
is_of_model (Client *self, const TallCall *call)
{
  if (call->kind > TALL_CALL_APPLY_IF && call->kind != TALL_CALL_DROP_TABLE)
    return FALSE;
  if (self->is_migrating)
    return is_of_migration (call);
  gboolean goes_on = self->is_dropping && call->kind == TALL_CALL_DROP_TABLE;
  gboolean of_record = g_str_equal (call->table, TALL_META_TABLE);
  if (call->kind == TALL_CALL_DROP_TABLE || (of_record && call->kind == TALL_CALL_APPLY_IF))
    self->is_dropping = call->kind == TALL_CALL_DROP_TABLE;
  return !goes_on && (!of_record || call->kind == TALL_CALL_APPLY_IF)
         && !is_missing (self->replay, call->table);
}

/* Waits until the trace says how the call ends. The model waits for no claim, and does not look
 * again before it takes one over. */
static TallFailure
before_call (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Client *self = data;
  Replay *replay = self->replay;
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&replay->mutex);
  gboolean looks_again = self->has_slept && call->kind == TALL_CALL_READ;
  self->has_slept = FALSE;
  if ((looks_again || !is_of_model (self, call)) && !self->is_given_up)
    return TALL_FAILURE_NONE;
  self->waits = kind_of (call);
  g_cond_broadcast (&replay->cond);
  while (!self->is_let_on && !self->is_given_up && !replay->is_over)
    g_cond_wait (&replay->cond, &replay->mutex);
  self->waits = NULL;
  self->failure = self->is_let_on ? self->failure : TALL_FAILURE_NONE;
  self->is_let_on = FALSE;
  return self->is_given_up ? TALL_FAILURE_BEFORE : self->failure;
}

static const char *
name_failure (const GError *error)
{
  switch (error->code)
    {
    case TALL_ERROR_NOT_FOUND:
      return "not-found";
    case TALL_ERROR_CONFLICT:
      return "conflict";
    case TALL_ERROR_OUTCOME_UNKNOWN:
      return "unknown";
    case TALL_ERROR_UNAVAILABLE:
    case TALL_ERROR_TIMED_OUT:
    case TALL_ERROR_UNSUPPORTED: /* there is another deployment */
      return "not-done";
    default:
      return tall_error_code_name (error->code);
    }
}

/* The rows a and b are lines of the order; “-”: it has none. */
static TallOrder *
make_order (const char *value, const char *rows)
{
  guint n_lines = g_str_equal (rows, "-") ? 0 : (guint)strlen (rows);
  TallOrder *order = tall_test_empty_order (TALL_TEST_CUSTOMER, TALL_TEST_ORDER, n_lines > 0);
  if (n_lines > 0)
    tall_test_add_lines (order, 0, 1 + rows[0] - 'a', n_lines);
  order->currency = tall_arena_strdup (tall_order_get_arena (order), value);
  order->has_sales_date = TRUE;
  order->sales_date = strchr ("yl", value[0]) != NULL ? 1000 : 2000; /* the later one comes first */
  return order;
}

/* “put x a none own”. @seen: (inout): the revision that the last get has shown; 0: none
 * Returns: (nullable): what it gets; NULL: there is nothing to do */
static char *
do_put (Client *self, char **words, gint64 seen)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallOrder) order = make_order (words[1], words[2]);
  TallWriteOptions options = { .revision = seen };
  if (g_str_equal (words[3], "seen") && seen == 0)
    return NULL;
  options.condition = g_str_equal (words[3], "absent") ? TALL_IF_ABSENT
                      : g_str_equal (words[3], "seen") ? TALL_IF_REVISION
                                                       : TALL_IF_ANY;
  options.has_token = g_str_equal (words[4], "caller");
  memcpy (options.token, self->replay->token, TALL_TOKEN_SIZE);
  if (tall_front_put_order (TALL_FRONT (self->store), order, &options, NULL, &error))
    return g_strdup ("done");
  return g_strdup (name_failure (error));
}

static char *
do_get (Client *self, gint64 *seen)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallOrder) order = tall_front_get_order (TALL_FRONT (self->store), TALL_TEST_CUSTOMER,
                                                      TALL_TEST_ORDER, seen, &error);
  return g_strdup (order != NULL ? order->currency : name_failure (error));
}

static char *
do_delete (Client *self)
{
  g_autoptr (GError) error = NULL;
  gboolean done = tall_front_delete_order (TALL_FRONT (self->store), TALL_TEST_CUSTOMER,
                                           TALL_TEST_ORDER, NULL, &error);
  return g_strdup (done ? "done" : name_failure (error));
}

/* Where others go by a deployment, too. */
static void
remake (Client *self)
{
  g_autoptr (TallTable) table = tall_failing_table_new (self->replay->memory);
  const TallStoreSettings settings = { .layout = self->replay->next,
                                       .key_strategy = &tall_key_hashed,
                                       .index = TALL_INDEX_NONE };
  g_autoptr (GError) error = NULL;
  tall_failing_table_set_info (TALL_FAILING_TABLE (table), TALL_FAILING_SHARED);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (table), before_call, NULL, self);
  if (!tall_store_drop (table, &error) || !tall_store_create (table, &settings, &error))
    g_debug ("%s", error->message);
}

static void
migrate (Client *self)
{
  TallMigrateSummary summary;
  g_autoptr (GError) error = NULL;
  const TallMigrateOptions options = { .move = { .layout = self->replay->next },
                                       .settled = TRUE,
                                       .hooks = &self->hooks };
  self->is_migrating = TRUE;
  if (!tall_migrate_run (self->table, &options, &summary, &error))
    g_debug ("%s", error->message);
  self->is_migrating = FALSE;
}

/* Returns: FALSE: there is nothing to open */
static gboolean
open_store (Client *self)
{
  g_clear_object (&self->store);
  self->store = tall_store_open (self->table, NULL, NULL, &self->hooks, NULL);
  return self->store != NULL;
}

static char *
do_next (Client *self, const char *what, gint64 *seen)
{
  g_auto (GStrv) words = g_strsplit (what, " ", -1);
  gint64 expected = *seen;
  *seen = 0;
  if (g_str_equal (words[0], "remake"))
    {
      remake (self);
      return NULL;
    }
  if (g_str_equal (words[0], "migrate"))
    {
      migrate (self);
      return NULL;
    }
  if (g_str_equal (words[0], "get"))
    return do_get (self, seen);
  return g_str_equal (words[0], "delete") ? do_delete (self) : do_put (self, words, expected);
}

static gpointer
run_client (gpointer data)
{
  Client *self = data;
  gint64 seen = 0;
  for (guint i = 0; self->todo[i] != NULL; i++)
    {
      const char *todo = self->todo[i];
      gboolean opens = g_str_has_prefix (todo, OPEN);
      if (opens && !open_store (self))
        break;
      char *result = do_next (self, opens ? todo + strlen (OPEN) : todo, &seen);
      g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->replay->mutex);
      if (result != NULL)
        g_ptr_array_add (self->results, result);
      self->is_given_up = self->has_crashed;
    }
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->replay->mutex);
  self->is_finished = TRUE;
  g_cond_broadcast (&self->replay->cond);
  return NULL;
}

/* ---- What the rows hold ---- */

static gint64
count_revision (gint64 revision)
{
  return revision < BASE ? revision : (revision - BASE) / 2;
}

static gint
compare_numbers (gconstpointer a, gconstpointer b)
{
  const gint64 *first = a, *second = b;
  return (*first > *second) - (*first < *second);
}

static void
add_timestamps (const TallRow *row, GArray *timestamps)
{
  for (guint i = 0; i < row->n_cells; i++)
    {
      gint64 timestamp = count_revision (row->cells[i].timestamp);
      g_array_append_val (timestamps, timestamp);
    }
}

/* “10,11”: each once; “-”: there is none. */
static void
append_timestamps (GString *text, GArray *timestamps)
{
  gint64 before = -1;
  gsize begun = text->len;
  g_array_sort (timestamps, compare_numbers);
  for (guint i = 0; i < timestamps->len; i++)
    {
      gint64 timestamp = g_array_index (timestamps, gint64, i);
      if (timestamp != before)
        g_string_append_printf (text, "%s%" G_GINT64_FORMAT, text->len > begun ? "," : "",
                                timestamp);
      before = timestamp;
    }
  if (text->len == begun)
    g_string_append_c (text, '-');
}

static TallReadResult *
read_table (const Replay *self, const char *table)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTable) counting = tall_generation_table_new (self->memory, self->generation);
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_scan (plan, table, (TallSlice)TALL_SLICE_INIT, (TallSlice)TALL_SLICE_INIT);
  TallReadResult *result = tall_table_read (counting, plan, TALL_NO_DEADLINE, &error);
  g_assert_no_error (error);
  return result;
}

/* As replay.py says it. */
static void
append_state (const Replay *self, GString *text)
{
  static const guint8 no_origin[8];
  TallState state;
  g_autoptr (TallReadResult) result = read_table (self, "orders");
  const TallRows *rows = &result->results[0];
  const TallCell *cell = NULL;
  for (guint i = 0; cell == NULL && i < rows->n_rows; i++)
    cell = tall_row_find_latest (&rows->rows[i], TALL_STATE_QUALIFIER);
  if (cell == NULL)
    {
      g_string_append (text, "s=none");
      return;
    }
  must (tall_state_decode (cell->value, &state, &error));
  TallReader reader = tall_reader (tall_slice (state.pending_token + 8, 8));
  gboolean is_claim =
      state.pending != 0
      || (!self->layout->single_row && memcmp (state.pending_token, no_origin, 8) != 0);
  g_string_append_printf (text,
                          "s=%" G_GINT64_FORMAT "/%s/%" G_GINT64_FORMAT "/%" G_GINT64_FORMAT "/",
                          count_revision (cell->timestamp), state.live ? "live" : "dead",
                          count_revision (state.revision), count_revision (state.pending));
  if (is_claim)
    g_string_append (text, "claim");
  else
    g_string_append_printf (text, "%" G_GINT64_FORMAT,
                            count_revision ((gint64)tall_reader_u64 (&reader)));
  g_string_append_printf (text, "/%u", state.live ? state.n_lines : 0);
}

/* A root row has a state cell, in every table that has root rows. */
static gboolean
is_root (const TallRow *row)
{
  return tall_row_find_latest (row, TALL_STATE_QUALIFIER) != NULL;
}

static void
append_children (const Replay *self, GString *text)
{
  g_autoptr (GArray) timestamps = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (const TallLayoutTable *table = self->layout->tables; table->name != NULL; table++)
    {
      g_autoptr (TallReadResult) result = read_table (self, table->name);
      for (guint i = 0; i < result->results[0].n_rows; i++)
        if (!is_root (&result->results[0].rows[i]))
          add_timestamps (&result->results[0].rows[i], timestamps);
    }
  g_string_append (text, " children=");
  append_timestamps (text, timestamps);
}

/* C, the date, the order part; of hashed keys C has 16 bytes. */
static gboolean
is_of_date (const TallRow *row, gint64 date)
{
  TallReader reader = tall_reader (tall_slice (row->key.data + 16, 8));
  return tall_reader_u64 (&reader) == (guint64)(G_MAXINT64 - date);
}

static void
append_hints (const Replay *self, GString *text)
{
  static const gint64 dates[] = { 2000, 1000 };
  g_autoptr (TallReadResult) result = read_table (self, TALL_INDEX_TABLE);
  const TallRows *rows = &result->results[0];
  for (guint i = 0; i < G_N_ELEMENTS (dates); i++)
    {
      g_autoptr (GArray) timestamps = g_array_new (FALSE, FALSE, sizeof (gint64));
      for (guint j = 0; j < rows->n_rows; j++)
        if (is_of_date (&rows->rows[j], dates[i]))
          add_timestamps (&rows->rows[j], timestamps);
      g_string_append_printf (text, " d%u=", i + 1);
      append_timestamps (text, timestamps);
    }
}

/* Finds out which tables count. Returns: (nullable): why nobody can read them */
static const char *
find_counting (Replay *self)
{
  g_autoptr (TallDeployment) record = tall_deployment_read (self->memory, TALL_NO_DEADLINE, NULL);
  if (record == NULL)
    return "dropped";
  g_autoptr (TallTable) counting =
      tall_generation_table_new (self->memory, record->migration.generation);
  g_autoptr (TallTableSpec) spec =
      tall_table_describe_table (counting, "orders", TALL_NO_DEADLINE, NULL);
  self->generation = record->migration.generation;
  self->layout = tall_layout_find (record->layout, NULL);
  return spec == NULL ? "dropped" : spec->access == TALL_ACCESS_CLOSED ? "closed" : NULL;
}

static char *
say_rows (Replay *self)
{
  const char *unreadable = find_counting (self);
  g_autoptr (GString) text = g_string_new (NULL);
  if (unreadable != NULL)
    return g_strdup (unreadable);
  append_state (self, text);
  if (!self->layout->single_row)
    append_children (self, text);
  if (self->has_index)
    append_hints (self, text);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* ---- The trace ---- */

static void
begin_trace (Replay *self, const char *title)
{
  *self = (Replay){ .title = g_strdup (title), .token = { 1 } };
  g_mutex_init (&self->mutex);
  g_cond_init (&self->cond);
}

/* “layout date normalized blob”: the last one if it is made again, or moves there */
static void
make_deployment (Replay *self, char **words)
{
  g_autoptr (GError) error = NULL;
  self->has_index = g_str_equal (words[1], "date");
  self->layout = tall_layout_find (words[2], &error);
  self->next = words[3] != NULL ? tall_layout_find (words[3], &error) : NULL;
  self->memory = tall_memory_table_new ();
  tall_memory_table_set_together (TALL_MEMORY_TABLE (self->memory), 1);
  const TallStoreSettings settings = { .layout = self->layout,
                                       .key_strategy = &tall_key_hashed,
                                       .index =
                                           self->has_index ? TALL_INDEX_BY_DATE : TALL_INDEX_NONE };
  must (tall_store_create (self->memory, &settings, &error));
}

/* With the mutex. Waits until the client has made all but its next call. */
static void
wait_for (Replay *self, const Client *client)
{
  gint64 until = g_get_monotonic_time () + HANG;
  while (!client->is_finished && (client->waits == NULL || client->is_let_on))
    if (!g_cond_wait_until (&self->cond, &self->mutex, until))
      g_error ("%s: a client hangs", self->title);
}

/* “client A 1 put x a none own; get” */
static void
add_client (Replay *self, const char *clock, const char *todo)
{
  Client *client = &self->clients[self->n_clients++];
  *client = (Client){ .replay = self,
                      .todo = g_strsplit (todo, "; ", -1),
                      .results = g_ptr_array_new_with_free_func (g_free) };
  client->hooks = (TallStoreHooks){ .now = client_now,
                                    .monotonic = client_monotonic,
                                    .sleep = client_sleep,
                                    .patience = 1,
                                    .data = client };
  client->now = BASE + 2 * (9 + (gint64)g_ascii_strtoull (clock, NULL, 10));
  client->table = tall_failing_table_new (self->memory);
  if (self->next != NULL) /* nobody lies in such traces */
    tall_failing_table_set_info (TALL_FAILING_TABLE (client->table), TALL_FAILING_EMBEDDED);
  g_assert_true (open_store (client));
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (client->table), before_call, NULL, client);
  client->thread = g_thread_new ("client", run_client, client);
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  wait_for (self, client);
}

static Client *
find_client (Replay *self, const char *name)
{
  guint i = (guint)(name[0] - 'A');
  g_assert_cmpuint (i, <, self->n_clients);
  return &self->clients[i];
}

static void differ (Replay *self, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
differ (Replay *self, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  if (self->wrong == NULL)
    self->wrong = g_strdup_vprintf (format, arguments);
  va_end (arguments);
}

static TallFailure
parse_failure (const char *word)
{
  return g_str_equal (word, "lost")    ? TALL_FAILURE_LOST
         : g_str_equal (word, "late")  ? TALL_FAILURE_LATE
         : g_str_equal (word, "false") ? TALL_FAILURE_FALSE
                                       : TALL_FAILURE_NONE;
}

static void
compare_rows (Replay *self, const char *line, const char *expected)
{
  g_autofree char *there = say_rows (self);
  if (!g_str_equal (there, expected))
    differ (self, "%s, but there is %s", line, there);
}

/* “call A write-if done s=…” */
static void
make_call (Replay *self, const char *line, char **words)
{
  Client *client = find_client (self, words[1]);
  g_mutex_lock (&self->mutex);
  wait_for (self, client);
  if (client->is_finished || !g_str_equal (client->waits, words[2]))
    {
      differ (self, "%s, but the client %s %s", line, client->is_finished ? "has" : "makes a",
              client->is_finished ? "ended" : client->waits);
      g_mutex_unlock (&self->mutex);
      return;
    }
  client->failure = parse_failure (words[3]);
  client->is_let_on = TRUE;
  g_cond_broadcast (&self->cond);
  wait_for (self, client);
  g_mutex_unlock (&self->mutex);
  g_autofree char *expected = g_strjoinv (" ", words + 4);
  compare_rows (self, line, expected);
}

static void
deliver (Replay *self, const char *line, char **words)
{
  tall_failing_table_deliver_late (TALL_FAILING_TABLE (find_client (self, words[1])->table));
  g_autofree char *expected = g_strjoinv (" ", words + 2);
  compare_rows (self, line, expected);
}

/* With the mutex. */
static void
give_up (Client *client)
{
  client->monotonic += LONG;
  client->is_given_up = TRUE;
  g_cond_broadcast (&client->replay->cond);
}

/* “result A done”: @n_results, of this client */
static void
compare_result (Replay *self, const char *line, char **words, guint n_results)
{
  Client *client = find_client (self, words[1]);
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  wait_for (self, client);
  if (client->results->len < n_results)
    differ (self, "%s, but the client makes a %s", line, client->waits);
  else if (!g_str_equal (g_ptr_array_index (client->results, n_results - 1), words[2]))
    differ (self, "%s, but the client gets %s", line,
            (const char *)g_ptr_array_index (client->results, n_results - 1));
}

/* “rest s=…”: what all others do is done, and changes nothing. A migrator of the model ends where
 * another one has gone on; in the store it looks what is left to do. */
static void
let_all_on (Replay *self, const char *line)
{
  gint64 until = g_get_monotonic_time () + HANG;
  g_mutex_lock (&self->mutex);
  self->is_over = TRUE;
  g_cond_broadcast (&self->cond);
  for (guint i = 0; i < self->n_clients; i++)
    while (!self->clients[i].is_finished)
      if (!g_cond_wait_until (&self->cond, &self->mutex, until))
        g_error ("%s: a client hangs", self->title);
  g_mutex_unlock (&self->mutex);
  compare_rows (self, line, line + strlen ("rest "));
}

static void
end_trace (Replay *self)
{
  g_mutex_lock (&self->mutex);
  for (guint i = 0; i < self->n_clients; i++)
    {
      self->clients[i].has_crashed = TRUE;
      give_up (&self->clients[i]);
    }
  g_mutex_unlock (&self->mutex);
  for (guint i = 0; i < self->n_clients; i++)
    {
      Client *client = &self->clients[i];
      g_thread_join (client->thread);
      g_clear_object (&client->store);
      g_object_unref (client->table);
      g_ptr_array_unref (client->results);
      g_strfreev (client->todo);
    }
  g_clear_object (&self->memory);
  g_clear_pointer (&self->title, g_free);
  g_clear_pointer (&self->wrong, g_free);
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->cond);
}

/* @n_results: for each client, how many results it got */
static void
replay_line (Replay *self, const char *line, guint *n_results)
{
  g_auto (GStrv) words = g_strsplit (line, " ", -1);
  if (g_str_equal (words[0], "layout"))
    make_deployment (self, words);
  else if (g_str_equal (words[0], "client"))
    add_client (self, words[2], strstr (strchr (line + strlen ("client "), ' ') + 1, " ") + 1);
  else if (self->wrong != NULL)
    return;
  else if (g_str_equal (words[0], "call"))
    make_call (self, line, words);
  else if (g_str_equal (words[0], "rest"))
    let_all_on (self, line);
  else if (g_str_equal (words[0], "late"))
    deliver (self, line, words);
  else if (g_str_equal (words[0], "result"))
    compare_result (self, line, words, ++n_results[words[1][0] - 'A']);
}

/* Returns: (transfer full) (nullable): what differs. @lines: of the trace, the first one says its
 * title */
static char *
replay_trace (GPtrArray *lines)
{
  Replay self;
  guint n_results[MOST_CLIENTS] = { 0 };
  begin_trace (&self, g_ptr_array_index (lines, 0));
  for (guint i = 1; i < lines->len && self.wrong == NULL; i++)
    replay_line (&self, g_ptr_array_index (lines, i), n_results);
  char *wrong = g_steal_pointer (&self.wrong);
  end_trace (&self);
  return wrong;
}

static gboolean
report (GPtrArray *lines, guint number)
{
  g_autofree char *wrong = replay_trace (lines);
  printf ("%s %u %s\n", wrong == NULL ? "ok" : "not ok", number,
          (char *)g_ptr_array_index (lines, 0));
  for (guint i = 0; wrong != NULL && i < lines->len; i++)
    printf ("# %s\n", (char *)g_ptr_array_index (lines, i));
  if (wrong != NULL)
    printf ("# differs: %s\n", wrong);
  fflush (stdout);
  return wrong == NULL;
}

int
main (void)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *line = NULL;
  gsize room = 0;
  guint n = 0, n_wrong = 0;
  while (getline (&line, &room, stdin) > 0)
    {
      g_strchomp (line);
      if (!g_str_equal (line, "end"))
        {
          g_ptr_array_add (lines, g_strdup (line));
          continue;
        }
      n_wrong += !report (lines, ++n);
      g_ptr_array_set_size (lines, 0);
    }
  printf ("1..%u\n", n);
  return n_wrong > 0;
}
