/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-bench-results.h"

#include <json-glib/json-glib.h>

static TallBenchRecord
make_record (guint phase, const TallLayout *layout, const TallKeyStrategy *key)
{
  guint n;
  const TallBenchPhase *phases = tall_bench_phases (&n);
  return (TallBenchRecord){
    .phase = &phases[phase],
    .layout = layout,
    .key_strategy = key,
    .n_timed = 90,
    .rate = 123456.7,
    .p50 = 7.25,
    .p95 = 1234567,
    .p99 = 2345678,
    .max = 3456789,
    .n_counted = 100,
    .cost = { .calls = 402,
              .rows_read = 50,
              .rows_written = 300,
              .cells_read = 20,
              .cells_written = 71000,
              .bytes_read = 1,
              .bytes_written = 12345678,
              .durable = 7 },
  };
}

/* Reads and writes are added up, columns are aligned, and no line is longer than 100. */
static void
test_text (void)
{
  const TallBenchRecord records[] = {
    make_record (0, &tall_layout_blob, &tall_key_hashed),
    make_record (1, &tall_layout_blob, &tall_key_hashed),
    make_record (0, &tall_layout_denormalized, &tall_key_hashed),
  };
  TallBenchResults results = { .store = "rocksdb",
                               .n_clients = 1,
                               .n_orders = 10,
                               .n_customers = 2,
                               .n_lines = 55,
                               .records = records,
                               .n_records = 3 };
  g_autofree char *text = tall_bench_results_to_text (&results);
  g_assert_cmpstr (
      text, ==,
      "10 orders with 5.5 lines on average, of 2 customers, on rocksdb; 1 client; key hashed\n"
      "\n"
      "store: storing new orders\n"
      "  layout           ops/s   p50 µs   p95 µs   p99 µs   calls     rows     cells     bytes\n"
      "  blob            123457     7.25  1234567  2345678    4.02     3.50       710    123457\n"
      "  denormalized    123457     7.25  1234567  2345678    4.02     3.50       710    123457\n"
      "\n"
      "get: fetching whole orders\n"
      "  layout           ops/s   p50 µs   p95 µs   p99 µs   calls     rows     cells     bytes\n"
      "  blob            123457     7.25  1234567  2345678    4.02     3.50       710    123457\n");
}

/* The key has a column if there is more than one. */
static void
test_text_keys (void)
{
  const TallBenchRecord records[] = {
    make_record (2, &tall_layout_denormalized, &tall_key_hashed),
    make_record (2, &tall_layout_denormalized, &tall_key_reversed),
  };
  TallBenchResults results = { .store = "hbase", .records = records, .n_records = 2 };
  g_autofree char *text = tall_bench_results_to_text (&results);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_assert_cmpstr (lines[0], ==,
                   "0 orders with 0 lines on average, of 0 customers, on hbase; 0 clients");
  g_assert_true (g_str_has_prefix (lines[3], "  layout        key       "));
  g_assert_true (g_str_has_prefix (lines[4], "  denormalized  hashed    "));
  g_assert_true (g_str_has_prefix (lines[5], "  denormalized  reversed  "));
  for (guint i = 0; lines[i] != NULL; i++)
    g_assert_cmpint (g_utf8_strlen (lines[i], -1), <=, 100);
}

static void
test_json (void)
{
  const TallBenchRecord records[] = { make_record (3, &tall_layout_wide, &tall_key_raw) };
  TallBenchResults results = { .store = "hbase",
                               .n_clients = 4,
                               .n_operations = 90,
                               .has_seed = TRUE,
                               .seed = 7,
                               .records = records,
                               .n_records = 1 };
  g_autoptr (GError) error = NULL;
  g_autofree char *json = tall_bench_results_to_json (&results);
  g_autoptr (JsonNode) root = json_from_string (json, &error);
  g_assert_no_error (error);
  JsonObject *object = json_node_get_object (root);
  g_assert_cmpint (json_object_get_int_member (object, "clients"), ==, 4);
  g_assert_cmpint (json_object_get_int_member (object, "operations"), ==, 90);
  g_assert_cmpint (json_object_get_int_member (object, "seed"), ==, 7);
  g_assert_false (json_object_has_member (object, "seconds"));

  JsonArray *measurements = json_object_get_array_member (object, "measurements");
  g_assert_cmpuint (json_array_get_length (measurements), ==, 1);
  JsonObject *measured = json_array_get_object_element (measurements, 0);
  g_assert_cmpstr (json_object_get_string_member (measured, "phase"), ==, "replace");
  g_assert_cmpstr (json_object_get_string_member (measured, "layout"), ==, "wide");
  g_assert_cmpstr (json_object_get_string_member (measured, "key"), ==, "raw");
  g_assert_cmpint (json_object_get_int_member (measured, "operations"), ==, 90);
  g_assert_cmpfloat (json_object_get_double_member (measured, "p50_us"), ==, 7.25);
  JsonObject *cost = json_object_get_object_member (measured, "per_operation");
  g_assert_cmpfloat (json_object_get_double_member (cost, "calls"), ==, 4.02);
  g_assert_cmpfloat (json_object_get_double_member (cost, "rows_read"), ==, 0.5);
  g_assert_cmpfloat (json_object_get_double_member (cost, "durable_writes"), ==, 0.07);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bench/results/text", test_text);
  g_test_add_func ("/bench/results/text-keys", test_text_keys);
  g_test_add_func ("/bench/results/json", test_json);
  return g_test_run ();
}
