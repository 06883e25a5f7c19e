/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/store/loader.h"
#include "tall-error.h"
#include "tall-forwarding-front.h"
#include "tall-test-files.h"
#include "tall-test-front.h"
#include "tall-must.h"

/* Fails deletions of orders, by their number's first letter. */
#define TALL_TYPE_STUBBORN_FRONT (tall_stubborn_front_get_type ())
G_DECLARE_FINAL_TYPE (
    TallStubbornFront, tall_stubborn_front, TALL, STUBBORN_FRONT, TallForwardingFront)

struct _TallStubbornFront
{
  TallForwardingFront parent_instance;
  GMutex lock;
  GHashTable *tries; /* number → how often it was tried */
};

G_DEFINE_FINAL_TYPE (TallStubbornFront, tall_stubborn_front, TALL_TYPE_FORWARDING_FRONT)

/* What the first tries end with; @is_done: it is deleted nevertheless. */
static const struct
{
  char letter;
  TallError code;
  guint n_tries;
  gboolean is_done;
} faults[] = {
  { 'U', TALL_ERROR_OUTCOME_UNKNOWN, 1, TRUE },
  { 'V', TALL_ERROR_OUTCOME_UNKNOWN, 1, FALSE },
  { 'P', TALL_ERROR_UNAVAILABLE, 2, FALSE },
  { 'C', TALL_ERROR_CONFLICT, 1, FALSE },
  { 'D', TALL_ERROR_DAMAGED, G_MAXUINT, FALSE },
  { 'L', TALL_ERROR_UNAVAILABLE, G_MAXUINT, FALSE },
  { 'I', TALL_ERROR_INTERNAL, G_MAXUINT, FALSE },
  { 'S', TALL_ERROR_TIMED_OUT, 9, FALSE },
  { 'T', TALL_ERROR_TIMED_OUT, G_MAXUINT, FALSE },
};

static guint
count_try (TallStubbornFront *self, const char *number)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->lock);
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (self->tries, number)) + 1;
  g_hash_table_insert (self->tries, g_strdup (number), GUINT_TO_POINTER (n));
  return n;
}

static gboolean
delete_order (TallFront *front,
              const char *customer,
              const char *order,
              const TallWriteOptions *options,
              GError **error)
{
  TallStubbornFront *self = TALL_STUBBORN_FRONT (front);
  TallFront *inner = tall_forwarding_front_get_front (TALL_FORWARDING_FRONT (self));
  guint n = count_try (self, order);
  g_assert_true (options->has_token);
  for (guint i = 0; i < G_N_ELEMENTS (faults); i++)
    if (faults[i].letter == *order && n <= faults[i].n_tries)
      {
        g_autoptr (GError) ignored = NULL;
        if (faults[i].is_done)
          g_assert_true (tall_front_delete_order (inner, customer, order, NULL, &ignored));
        g_set_error (error, TALL_ERROR, (int)faults[i].code, "as planned");
        return FALSE;
      }
  return tall_front_delete_order (inner, customer, order, options, error);
}

static void
tall_stubborn_front_finalize (GObject *object)
{
  TallStubbornFront *self = TALL_STUBBORN_FRONT (object);
  g_mutex_clear (&self->lock);
  g_hash_table_unref (self->tries);
  G_OBJECT_CLASS (tall_stubborn_front_parent_class)->finalize (object);
}

static void
tall_stubborn_front_class_init (TallStubbornFrontClass *class)
{
  G_OBJECT_CLASS (class)->finalize = tall_stubborn_front_finalize;
  TALL_FRONT_CLASS (class)->delete_order = delete_order;
}

static void
tall_stubborn_front_init (TallStubbornFront *self)
{
  g_autoptr (TallFront) inner = tall_test_front_new ();
  g_mutex_init (&self->lock);
  self->tries = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  tall_forwarding_front_wrap (TALL_FORWARDING_FRONT (self), inner);
}

static void
count_report (TallLoadStage stage G_GNUC_UNUSED,
              const TallLoadSummary *summary G_GNUC_UNUSED,
              guint64 position,
              guint64 size,
              gpointer data)
{
  g_assert_cmpuint (position, <=, size);
  ++*(guint *)data;
}

/* Seconds that the store may stand still. */
static guint patience = 60;

/* Stores the orders, deletes all rows of @csv, @rate a second. Returns `deleted absent rejected`,
 * and ` error`. */
static char *
run (const char *orders, const char *csv, guint rate)
{
  guint n_reports = 0;
  g_autoptr (TallFront) front = g_object_new (TALL_TYPE_STUBBORN_FRONT, NULL);
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) numbers = g_strsplit (orders, " ", -1);
  for (guint i = 0; numbers[i] != NULL; i++)
    {
      g_autoptr (TallOrder) order = tall_order_new ("c", numbers[i]);
      must (tall_front_put_order (front, order, NULL, NULL, &error));
    }
  g_autoptr (TallMapping) mapping =
      tall_mapping_parse ("m", "[order]\ncustomer_number=C\norder_number=O\n", -1, &error);
  g_autofree char *path = tall_test_write_file (csv, -1);
  g_autoptr (TallCsvReader) reader =
      tall_csv_reader_open (path, &mapping->dialect, TALL_CSV_MAX_ROW, &error);
  g_remove (path);
  must (tall_mapping_bind_reader (mapping, reader, &error));
  g_autoptr (TallLoadFiles) files =
      tall_load_files_new_of_one (g_steal_pointer (&reader), g_steal_pointer (&mapping));
  g_autoptr (TallRejects) rejects = tall_rejects_new (NULL, &error);
  TallLoadOptions options = TALL_LOAD_OPTIONS_INIT;
  options.deletes = TRUE;
  options.retry_delay = 1;
  options.patience = patience;
  options.rate = rate;
  options.progress = count_report;
  options.data = &n_reports;
  TallLoadSummary summary;
  gboolean ok = tall_load (front, files, rejects, &options, &summary, &error);
  g_assert_cmpint (ok, ==, error == NULL);
  g_assert_cmpuint (n_reports, ==, summary.rows);
  return g_strdup_printf ("%d %d %d%s%s", (int)summary.ends[TALL_LOAD_STORED].rows,
                          (int)summary.ends[TALL_LOAD_UNCHANGED].rows,
                          (int)tall_rejects_get_count (rejects), ok ? "" : " ",
                          ok ? "" : error->message);
}

static void
test_outcomes (void)
{
  static const struct
  {
    const char *orders;
    const char *csv;
    const char *outcome;
  } cases[] = {
    { "1", "C,O\nc,1\nc,2\n", "1 1 0" },
    { "1", "C,O\nc,1\nc,1\n,1\n", "2 0 1" },
    { "1", "C,O\nc,1\nd,1\n", "1 1 0" },     /* another customer's */
    { "U1 1", "C,O\nc,U1\nc,1\n", "2 0 0" }, /* its answer was lost */
    { "V1", "C,O\nc,V1\nc,V1\n", "2 0 0" },
    { "P1 C1", "C,O\nc,P1\nc,C1\n", "2 0 0" },
    { "S1", "C,O\nc,S1\n", "1 0 0" }, /* it stands still for longer than one that is not there */
    { "D1 1", "C,O\nc,D1\nc,D1\nc,1\n", "1 0 2" },
    { "L1", "C,O\nc,L1\n", "0 0 0 Stopped at line 2 of " },
    { "I1", "C,O\nc,I1\n", "0 0 0 Stopped at line 2 of " },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_test_message ("%s", cases[i].csv);
      g_autofree char *outcome = run (cases[i].orders, cases[i].csv, 0);
      if (g_str_has_suffix (cases[i].outcome, " "))
        g_assert_true (g_str_has_prefix (outcome, cases[i].outcome));
      else
        g_assert_cmpstr (outcome, ==, cases[i].outcome);
    }
}

static void
test_gives_up (void)
{
  patience = 0;
  g_autofree char *outcome = run ("T1", "C,O\nc,T1\n", 0);
  patience = 60;
  g_assert_true (g_str_has_prefix (outcome, "0 0 0 Stopped at line 2 of "));
  g_assert_nonnull (strstr (outcome, "the store has stood still for more than 0 s: "));
}

/* The third may go half a second after the first. */
static void
test_rate (void)
{
  gint64 began = g_get_monotonic_time ();
  g_autofree char *outcome = run ("1 2 3", "C,O\nc,1\nc,2\nc,3\n", 4);
  g_assert_cmpstr (outcome, ==, "3 0 0");
  g_assert_cmpint (g_get_monotonic_time () - began, >=, G_USEC_PER_SEC / 2);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/load/deleter/outcomes", test_outcomes);
  g_test_add_func ("/load/deleter/gives-up", test_gives_up);
  g_test_add_func ("/load/deleter/rate", test_rate);
  return g_test_run ();
}
