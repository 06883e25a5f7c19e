/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Threads of several processes put, get, list and delete, while the orders move from layout to
 * layout. None of them gets an error, and each reads what it has written last. */
#include "tall-error.h"
#include "table/memory-table.h"
#include "tall-test-acts.h"
#include "tall-test-move.h"
#include "tall-test-orders.h"
#include "tall-verify.h"
#include "tall-must.h"

#define N_PROCESSES 2
#define N_THREADS 4
#define N_MOVES 10

static GMutex mutex; /* for the rounds of all workers */
static GCond cond;   /* there is one more */

typedef struct
{
  TallFront *front;
  guint number;
  gint *stop; /* atomic */
  guint n_rounds;
} Worker;

static void
end_round (Worker *self)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&mutex);
  self->n_rounds++;
  g_cond_signal (&cond);
}

/* Until each of them has gone round twice more. */
static void
await_rounds (const Worker *workers)
{
  gint64 until = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&mutex);
  for (guint i = 0; i < N_THREADS; i++)
    for (guint wanted = workers[i].n_rounds + 2; workers[i].n_rounds < wanted;)
      g_assert_true (g_cond_wait_until (&cond, &mutex, until));
}

static void
put (Worker *self, const char *order_number, guint sequence)
{
  g_autoptr (TallOrder) order =
      tall_test_marked_order (order_number, self->number, sequence, 1 + sequence % 5);
  must (tall_front_put_order (self->front, order, NULL, NULL, &error));
}

static void
expect (Worker *self, const char *order_number, guint sequence)
{
  guint writer, found;
  g_autoptr (TallOrder) order =
      must (tall_front_get_order (self->front, TALL_TEST_CUSTOMER, order_number, NULL, &error));
  tall_test_read_mark (order, &writer, &found);
  g_assert_cmpuint (writer, ==, self->number);
  g_assert_cmpuint (found, ==, sequence);
}

static void
expect_listed (Worker *self, const char *order_number)
{
  gboolean found = FALSE;
  g_autoptr (TallOrderList) list =
      must (tall_front_list_orders (self->front, TALL_TEST_CUSTOMER, NULL, &error));
  for (guint i = 0; i < list->n_entries; i++)
    found = found || g_str_equal (list->entries[i].order_number, order_number);
  g_assert_true (found);
}

static void delete (Worker *self, const char *order_number)
{
  must (tall_front_delete_order (self->front, TALL_TEST_CUSTOMER, order_number, NULL, &error));
}

static gpointer
work (gpointer data)
{
  Worker *self = data;
  g_autofree char *order = g_strdup_printf ("%u", self->number);
  for (guint sequence = 1; !g_atomic_int_get (self->stop); sequence++)
    {
      put (self, order, sequence);
      expect (self, order, sequence);
      if (sequence % 3 == 0)
        expect_listed (self, order);
      if (sequence % 7 == 0)
        delete (self, order);
      end_round (self);
    }
  return NULL;
}

static void
move_around (TallTable *memory, const Worker *workers)
{
  static const char *const layouts[] = { "wide", "record-type", "denormalized", "normalized",
                                         "blob" };
  static const char *const strategies[] = { "numeric", "raw", "salted", "reversed", "hashed" };
  TallTestMove move = { .table = memory, .has_index = TRUE };
  for (guint i = 0; i < N_MOVES; i++)
    {
      tall_test_move_again (&move, layouts[i % G_N_ELEMENTS (layouts)],
                            strategies[i % G_N_ELEMENTS (strategies)]);
      if (i % 3 == 2)
        {
          tall_test_move_go (&move, i % 2 == 0 ? TALL_TEST_SEALED : TALL_TEST_CLOSED);
          tall_test_move_abort (&move);
          await_rounds (workers);
        }
      tall_test_move_go (&move, TALL_TEST_DROPPED);
      await_rounds (workers);
    }
}

static void
test_around (void)
{
  g_autoptr (TallTable) memory = tall_memory_table_new ();
  TallStore *stores[N_PROCESSES];
  Worker workers[N_THREADS];
  GThread *threads[N_THREADS];
  gint stop = 0;
  tall_test_create (memory, "blob", "hashed", 0);
  for (guint i = 0; i < N_PROCESSES; i++)
    stores[i] = tall_test_open (memory, NULL);
  for (guint i = 0; i < N_THREADS; i++)
    {
      workers[i] = (Worker){ TALL_FRONT (stores[i % N_PROCESSES]), i + 1, &stop, 0 };
      threads[i] = g_thread_new ("worker", work, &workers[i]);
    }
  move_around (memory, workers);
  g_atomic_int_set (&stop, 1);
  for (guint i = 0; i < N_THREADS; i++)
    {
      g_thread_join (threads[i]);
      g_test_message ("%u rounds", workers[i].n_rounds);
    }
  TallVerifySummary summary;
  const TallVerifyOptions options = { .alone = TRUE };
  must (tall_front_verify (TALL_FRONT (stores[0]), &options, &summary, &error));
  g_assert_cmpuint (summary.n_for_person, ==, 0);
  for (guint i = 0; i < N_PROCESSES; i++)
    g_object_unref (stores[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/follow-race/around", test_around);
  return g_test_run ();
}
