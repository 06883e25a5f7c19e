/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/store/loader.h"
#include "tall-json.h"
#include "tall-test-files.h"
#include "tall-faulty-front.h"
#include "tall-must.h"

typedef struct
{
  TallFaultyFront *front;
  TallLoadSummary summary;
  TallRejects *rejects;
  GError *error;
} Fixture;

static void
set_up (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  self->front = tall_faulty_front_new ();
}

/* Forgets all that is stored. */
static void
begin_again (Fixture *self)
{
  g_clear_object (&self->front);
  self->front = tall_faulty_front_new ();
}

static void
tear_down (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_clear_object (&self->front);
  g_clear_pointer (&self->rejects, tall_rejects_free);
  g_clear_error (&self->error);
}

static gboolean
load (Fixture *self, const char *path, TallMapping *given, const char *rejects_path)
{
  g_autoptr (TallMapping) mapping = given;
  TallLoadOptions options = TALL_LOAD_OPTIONS_INIT;
  options.retry_delay = 1;
  g_autoptr (TallCsvReader) reader =
      must (tall_csv_reader_open (path, &mapping->dialect, TALL_CSV_MAX_ROW, &error));
  must (tall_mapping_bind_reader (mapping, reader, &error));
  g_clear_pointer (&self->rejects, tall_rejects_free);
  self->rejects = must (tall_rejects_new (rejects_path, &error));
  g_autoptr (TallLoadFiles) files =
      tall_load_files_new_of_one (g_steal_pointer (&reader), g_steal_pointer (&mapping));
  return tall_load (TALL_FRONT (self->front), files, self->rejects, &options, &self->summary,
                    &self->error);
}

static gboolean
load_sample (Fixture *self, const char *sample, const char *preset)
{
  g_autofree char *path = tall_test_source_path (sample);
  g_autoptr (TallMapping) mapping = must (tall_mapping_load (preset, &error));
  return load (self, path, g_steal_pointer (&mapping), NULL);
}

static gboolean
load_text (Fixture *self, const char *csv, const char *rejects_path)
{
  g_autofree char *path = tall_test_write_file (csv, -1);
  g_autoptr (TallMapping) mapping =
      must (tall_mapping_parse ("m", "[order]\ncustomer_number=C\norder_number=O\n", -1, &error));
  gboolean ok = load (self, path, g_steal_pointer (&mapping), rejects_path);
  g_remove (path);
  return ok;
}

static char *
get_order_json (Fixture *self, const char *customer, const char *number)
{
  g_autoptr (TallOrder) order =
      must (tall_front_get_order (TALL_FRONT (self->front), customer, number, NULL, &error));
  return tall_order_to_json (order, FALSE);
}

static void
test_northwind (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  gboolean ok = load_sample (self, "tests/data/northwind/orders.csv", "northwind");
  g_assert_no_error (self->error);
  g_assert_true (ok);
  g_assert_cmpuint (self->summary.rows, ==, 2155);
  g_assert_cmpuint (self->summary.ends[TALL_LOAD_STORED].rows, ==, 2155);
  g_assert_cmpuint (self->summary.ends[TALL_LOAD_STORED].items, ==, 830);
  g_assert_cmpuint (self->summary.ends[TALL_LOAD_STORED].lines, ==, 2155);
  g_assert_cmpuint (tall_rejects_get_count (self->rejects), ==, 0);
  g_assert_cmpuint (tall_faulty_front_count_orders (self->front), ==, 830);

  g_autofree char *json = get_order_json (self, "HANAR", "10250");
  g_assert_cmpstr (
      json, ==,
      "{\"customer_number\":\"HANAR\",\"order_number\":\"10250\","
      "\"sales_date\":\"1996-07-08T00:00:00.000Z\",\"shipping_locations\":[{\"number\":1,"
      "\"name\":\"Hanari Carnes\",\"address\":{\"line1\":\"Rua do Paço, 67\","
      "\"city\":\"Rio de Janeiro\",\"state\":\"RJ\",\"zip\":\"05454-876\","
      "\"country\":\"Brazil\"},\"ship_date\":\"1996-07-12T00:00:00.000Z\",\"line_items\":["
      "{\"number\":1,\"item_number\":\"41\",\"quantity\":\"10\",\"price\":\"7.7\","
      "\"discount\":\"0\"},"
      "{\"number\":2,\"item_number\":\"51\",\"quantity\":\"35\",\"price\":\"42.4\","
      "\"discount\":\"0.15\"},"
      "{\"number\":3,\"item_number\":\"65\",\"quantity\":\"15\",\"price\":\"16.8\","
      "\"discount\":\"0.15\"}]}],"
      "\"attributes\":{\"employee_id\":\"4\",\"freight\":\"65.83\","
      "\"required_date\":\"1996-08-05\",\"ship_via\":\"2\"}}");
}

static void
test_northwind_customers (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_assert_true (load_sample (self, "tests/data/northwind/customers.csv", "northwind-customers"));
  g_assert_no_error (self->error);
  g_assert_cmpuint (self->summary.ends[TALL_LOAD_STORED].items, ==, 91);
  g_assert_cmpuint (tall_rejects_get_count (self->rejects), ==, 0);
  g_assert_cmpuint (tall_faulty_front_count_customers (self->front), ==, 91);
}

/* The sample has day-first dates, unlike the file as it is spread. */
static void
test_online_retail (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autofree char *preset = tall_mapping_preset_text ("online-retail");
  g_auto (GStrv) parts = g_strsplit (preset, "dates = mdy", 2);
  g_autofree char *text = g_strjoinv ("dates = dmy", parts);
  g_autofree char *path = tall_test_source_path ("tests/data/online-retail/online_retail_10k.csv");
  g_autoptr (TallMapping) mapping = must (tall_mapping_parse ("m", text, -1, &error));
  g_assert_true (load (self, path, g_steal_pointer (&mapping), NULL));
  g_assert_no_error (self->error);
  g_assert_cmpuint (self->summary.rows, ==, 9999);
  g_assert_cmpuint (self->summary.ends[TALL_LOAD_STORED].rows, ==, 9999 - 2291);
  g_assert_cmpuint (self->summary.ends[TALL_LOAD_STORED].lines, ==, 9999 - 2291);
  g_assert_cmpuint (self->summary.ends[TALL_LOAD_STORED].items, ==, 444);
  g_assert_cmpuint (tall_rejects_get_count (self->rejects), ==, 2291);
  GPtrArray *tally = tall_rejects_get_tally (self->rejects);
  g_assert_cmpuint (tally->len, ==, 1);
  const TallRejectTally *only = g_ptr_array_index (tally, 0);
  g_assert_cmpstr (only->reason, ==, "CustomerID: there is no customer number");
  g_assert_cmpuint (only->n_rows, ==, 2291);

  g_autofree char *json = get_order_json (self, "14527", "C536379");
  g_assert_cmpstr (
      json, ==,
      "{\"customer_number\":\"14527\",\"order_number\":\"C536379\","
      "\"sales_date\":\"2010-12-01T00:00:00.000Z\",\"currency\":\"GBP\",\"shipping_locations\":[{"
      "\"number\":1,\"address\":{\"country\":\"United Kingdom\"},\"line_items\":[{\"number\":1,"
      "\"item_number\":\"D\",\"description\":\"Discount\",\"quantity\":\"-1\","
      "\"price\":\"27.5\"}]}]}");
}

/* As UCI spreads it: the month comes first. */
static void
test_online_retail_month_first (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  static const char csv[] =
      "InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country\n"
      "536365,85123A,T-LIGHT HOLDER,6,12/1/2010 8:26,2.55,17850,United Kingdom\n"
      "536365,71053,LANTERN,6,12/1/2010 8:26,3.39,17850,United Kingdom\n"
      "536414,22139,,56,12/1/2010 11:52,0,,United Kingdom\n";
  g_autofree char *path = tall_test_write_file (csv, -1);
  g_autoptr (TallMapping) mapping = must (tall_mapping_load ("online-retail", &error));
  g_assert_true (load (self, path, g_steal_pointer (&mapping), NULL));
  g_assert_cmpuint (self->summary.ends[TALL_LOAD_STORED].items, ==, 1);
  g_assert_cmpuint (tall_rejects_get_count (self->rejects), ==, 1);
  g_autofree char *json = get_order_json (self, "17850", "536365");
  g_assert_nonnull (strstr (json, "\"sales_date\":\"2010-12-01T08:26:00.000Z\""));
}

static void
test_default_customer (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autofree char *preset = tall_mapping_preset_text ("online-retail");
  g_autofree char *text = g_strconcat (preset, "order.customer_number = GUEST\n", NULL);
  g_autofree char *path = tall_test_source_path ("tests/data/online-retail/online_retail_10k.csv");
  g_autoptr (TallMapping) mapping = must (tall_mapping_parse ("m", text, -1, &error));
  g_assert_true (load (self, path, g_steal_pointer (&mapping), NULL));
  g_assert_no_error (self->error);
  g_assert_cmpuint (self->summary.ends[TALL_LOAD_STORED].rows, ==, 9999);
  g_assert_cmpuint (self->summary.ends[TALL_LOAD_STORED].items, ==, 512);
}

/* What the data are to blame for rejects the order and nothing else. */
static void
test_refused_order (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  static const TallError codes[] = { TALL_ERROR_INVALID, TALL_ERROR_TOO_LARGE,
                                     TALL_ERROR_KEY_COLLISION, TALL_ERROR_DAMAGED,
                                     TALL_ERROR_NEWER_VERSION };
  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      g_autofree char *path = tall_test_write_file ("", 0);
      begin_again (self);
      tall_faulty_front_fail (self->front, "2", codes[i], 1, FALSE);
      g_assert_true (load_text (self, "C,O\nA,1\nA,2\nA,2\nA,3\n", path));
      g_assert_no_error (self->error);
      g_assert_cmpuint (self->summary.ends[TALL_LOAD_STORED].items, ==, 2);
      g_assert_cmpuint (self->summary.retries, ==, 0);
      g_autofree char *text = NULL;
      g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
      g_assert_cmpstr (text, ==,
                       "\"line\",\"column\",\"reason\",\"row\"\n"
                       "\"1\",\"\",\"header\",\"C,O\"\n"
                       "\"3\",\"\",\"Storing 2: told to fail\",\"A,2\"\n"
                       "\"4\",\"\",\"Storing 2: told to fail\",\"A,2\"\n");
      g_remove (path);
    }
}

/* What passes is tried again, with the same token (which the front checks). */
static void
test_retries (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  static const TallError codes[] = { TALL_ERROR_OVERLOADED, TALL_ERROR_UNAVAILABLE,
                                     TALL_ERROR_TIMED_OUT };
  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      begin_again (self);
      tall_faulty_front_fail (self->front, "2", codes[i], 5, FALSE);
      g_assert_true (load_text (self, "C,O\nA,1\nA,2\nA,3\n", NULL));
      g_assert_no_error (self->error);
      g_assert_cmpuint (self->summary.ends[TALL_LOAD_STORED].items, ==, 3);
      g_assert_cmpuint (self->summary.retries, ==, 5);
      g_assert_cmpuint (tall_rejects_get_count (self->rejects), ==, 0);
    }
}

/* What may have been stored is looked for. It is there: it is not sent again. */
static void
test_unknown_and_stored (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  tall_faulty_front_fail (self->front, "2", TALL_ERROR_OUTCOME_UNKNOWN, 1, TRUE);
  g_assert_true (load_text (self, "C,O\nA,1\nA,2\nA,3\n", NULL));
  g_assert_no_error (self->error);
  g_assert_cmpuint (self->summary.ends[TALL_LOAD_STORED].items, ==, 3);
  g_assert_cmpuint (tall_faulty_front_count_puts (self->front), ==, 3);
}

/* There is nothing: it is sent again. */
static void
test_unknown_and_absent (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  tall_faulty_front_fail (self->front, "2", TALL_ERROR_OUTCOME_UNKNOWN, 5, FALSE);
  g_assert_true (load_text (self, "C,O\nA,1\nA,2\nA,3\n", NULL));
  g_assert_no_error (self->error);
  g_assert_cmpuint (self->summary.ends[TALL_LOAD_STORED].items, ==, 3);
  g_assert_cmpuint (self->summary.retries, ==, 5);
  g_assert_cmpuint (tall_faulty_front_count_puts (self->front), ==, 8);
}

/* Something else is there, which somebody may have written since: it stays, its rows are rejected,
 * and the others are loaded. */
static void
test_unknown_and_other (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  char currency[] = "EUR";
  TallWriteOptions options = { .has_token = TRUE, .token = "0123456789abcdef" };
  g_autoptr (TallOrder) other = tall_order_new ("A", "2");
  other->currency = currency;
  must (tall_front_put_order (TALL_FRONT (self->front), other, &options, NULL, &error));

  tall_faulty_front_fail (self->front, "2", TALL_ERROR_OUTCOME_UNKNOWN, 1, FALSE);
  g_autofree char *path = tall_test_write_file ("", 0);
  g_assert_true (load_text (self, "C,O\nA,1\nA,2\nA,3\n", path));
  g_assert_no_error (self->error);
  g_assert_cmpuint (self->summary.ends[TALL_LOAD_STORED].items, ==, 2);
  g_assert_cmpuint (tall_rejects_get_count (self->rejects), ==, 1);
  g_autofree char *text = NULL;
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "Something else is stored there"));
  g_assert_true (g_str_has_suffix (text, "\"A,2\"\n"));
  g_remove (path);
  g_autofree char *json = get_order_json (self, "A", "2");
  g_assert_cmpstr (json, ==,
                   "{\"customer_number\":\"A\",\"order_number\":\"2\","
                   "\"currency\":\"EUR\"}");
}

static void
test_stops (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  static const struct
  {
    TallError code;
    guint failures;
  } cases[] = {
    { TALL_ERROR_UNAVAILABLE, 6 },
    { TALL_ERROR_OUTCOME_UNKNOWN, 6 },
    { TALL_ERROR_INTERNAL, 1 },
    { TALL_ERROR_UNSUPPORTED, 1 },
  };
  g_autoptr (GString) csv = g_string_new ("C,O\n");
  for (guint i = 0; i < 20000; i++)
    g_string_append_printf (csv, "A,%u\n", i);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      begin_again (self);
      tall_faulty_front_fail (self->front, "500", cases[i].code, cases[i].failures, FALSE);
      g_assert_false (load_text (self, csv->str, NULL));
      g_assert_error (self->error, TALL_ERROR, (gint)cases[i].code);
      g_assert_true (g_str_has_prefix (self->error->message, "Stopped at line 502 of "));
      g_assert_cmpuint (self->summary.ends[TALL_LOAD_STORED].rows, <, 20000);
      g_clear_error (&self->error);
    }
}

/* A put that waits for three others only ends if four batches run at once. */
static void
test_parallel (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  tall_faulty_front_gather (self->front, 4);
  g_assert_true (load_sample (self, "tests/data/northwind/orders.csv", "northwind"));
  g_assert_no_error (self->error);
  g_assert_cmpuint (tall_faulty_front_get_concurrency (self->front), ==, 4);
  g_assert_cmpuint (self->summary.ends[TALL_LOAD_STORED].items, ==, 830);
}

static void
test_full_disk (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GString) csv = g_string_new ("C,O\n");
  for (guint i = 0; i < 2000; i++)
    g_string_append (csv, ",1\n");
  g_assert_false (load_text (self, csv->str, "/dev/full"));
  g_assert_error (self->error, TALL_ERROR, TALL_ERROR_INTERNAL);
  g_assert_nonnull (strstr (self->error->message, "/dev/full"));
}

#define ADD(name, function)                                                                        \
  g_test_add ("/load/loader/" name, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  ADD ("northwind", test_northwind);
  ADD ("northwind-customers", test_northwind_customers);
  ADD ("online-retail", test_online_retail);
  ADD ("online-retail-month-first", test_online_retail_month_first);
  ADD ("default-customer", test_default_customer);
  ADD ("refused-order", test_refused_order);
  ADD ("retries", test_retries);
  ADD ("unknown-and-stored", test_unknown_and_stored);
  ADD ("unknown-and-absent", test_unknown_and_absent);
  ADD ("unknown-and-other", test_unknown_and_other);
  ADD ("stops", test_stops);
  ADD ("parallel", test_parallel);
  ADD ("full-disk", test_full_disk);
  return g_test_run ();
}
