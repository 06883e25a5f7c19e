/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/results.h"
#include "tall-must.h"

#include <json-glib/json-glib.h>
#include <math.h>

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
    .metrics = { [TALL_BENCH_RATE] = 123456.7,
                 [TALL_BENCH_P50] = 7.25,
                 [TALL_BENCH_P95] = 1234567,
                 [TALL_BENCH_P99] = 2345678,
                 [TALL_BENCH_P999] = 3000000,
                 [TALL_BENCH_MAX] = 3456789,
                 [TALL_BENCH_CPU_CLIENT] = 12.5,
                 [TALL_BENCH_CPU_GATEWAY] = NAN,
                 [TALL_BENCH_CPU_SERVER] = NAN,
                 [TALL_BENCH_SENT] = 300,
                 [TALL_BENCH_RECEIVED] = 1024 },
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

/* @text has exactly these lines from @title on. */
static void
assert_section (const char *text, const char *title, const char *lines)
{
  const char *begin = strstr (text, title);
  g_assert_nonnull (begin);
  const char *end = strstr (begin, "\n\n");
  g_autofree char *section =
      end != NULL ? g_strndup (begin, (gsize)(end - begin) + 1) : g_strdup (begin);
  g_assert_cmpstr (section, ==, lines);
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
  g_autoptr (GPtrArray) summaries = tall_bench_summarize (records, G_N_ELEMENTS (records));
  TallBenchResults results = { .store = "rocksdb",
                               .n_clients = 1,
                               .n_orders = 10,
                               .n_customers = 2,
                               .n_lines = 55,
                               .n_turns = 1,
                               .summaries = summaries };
  g_autofree char *text = tall_bench_results_to_text (&results);
  char *spent = strstr (text, "\nspent: ");
  assert_section (text, "spent: ",
                  "spent: CPU µs and bytes on the wire of an operation, as far as they are known\n"
                  "  phase  layout        key     client µs  bytes sent  received\n"
                  "  store  blob          hashed       12.5         300      1020\n"
                  "  get    blob          hashed       12.5         300      1020\n"
                  "  store  denormalized  hashed       12.5         300      1020\n");
  g_assert_nonnull (strstr (spent, "\nstored: not known"));
  *spent = '\0';
  g_assert_cmpstr (
      text, ==,
      "10 orders with 5.5 lines on average, of 2 customers, on rocksdb; 1 client; key hashed\n"
      "\n"
      "store: storing new orders\n"
      "  layout         ops/s  ±  p50 µs   p99 µs  p99.9 µs  calls  rows  cells   bytes\n"
      "  blob          123000       7.25  2350000   3000000   4.02  3.50    710  123457\n"
      "  denormalized  123000       7.25  2350000   3000000   4.02  3.50    710  123457\n"
      "\n"
      "get: fetching whole orders\n"
      "  layout   ops/s  ±  p50 µs   p99 µs  p99.9 µs  calls  rows  cells   bytes\n"
      "  blob    123000       7.25  2350000   3000000   4.02  3.50    710  123457\n");
}

/* The key has a column if there is more than one. */
static void
test_text_keys (void)
{
  const TallBenchRecord records[] = {
    make_record (2, &tall_layout_denormalized, &tall_key_hashed),
    make_record (2, &tall_layout_denormalized, &tall_key_reversed),
  };
  g_autoptr (GPtrArray) summaries = tall_bench_summarize (records, G_N_ELEMENTS (records));
  TallBenchResults results = { .store = "hbase", .summaries = summaries };
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
  TallBenchRecord records[] = { make_record (7, &tall_layout_wide, &tall_key_raw),
                                make_record (7, &tall_layout_wide, &tall_key_raw) };
  records[1].metrics[TALL_BENCH_P50] = 9.25;
  g_autoptr (GPtrArray) summaries = tall_bench_summarize (records, G_N_ELEMENTS (records));
  TallBenchResults results = { .store = "hbase",
                               .n_clients = 4,
                               .n_operations = 90,
                               .has_seed = TRUE,
                               .seed = 7,
                               .n_turns = 2,
                               .stopped = TRUE,
                               .summaries = summaries };
  g_autofree char *json = tall_bench_results_to_json (&results);
  g_autoptr (JsonNode) root = must (json_from_string (json, &error));
  JsonObject *object = json_node_get_object (root);
  g_assert_cmpint (json_object_get_int_member (object, "clients"), ==, 4);
  g_assert_cmpint (json_object_get_int_member (object, "operations"), ==, 90);
  g_assert_cmpint (json_object_get_int_member (object, "seed"), ==, 7);
  g_assert_false (json_object_has_member (object, "seconds"));
  g_assert_cmpint (json_object_get_int_member (object, "turns"), ==, 2);
  g_assert_false (json_object_get_boolean_member (object, "complete"));

  JsonArray *measurements = json_object_get_array_member (object, "measurements");
  g_assert_cmpuint (json_array_get_length (measurements), ==, 1);
  JsonObject *measured = json_array_get_object_element (measurements, 0);
  g_assert_cmpstr (json_object_get_string_member (measured, "phase"), ==, "replace");
  g_assert_cmpstr (json_object_get_string_member (measured, "layout"), ==, "wide");
  g_assert_cmpstr (json_object_get_string_member (measured, "key"), ==, "raw");
  g_assert_cmpint (json_object_get_int_member (measured, "operations"), ==, 180);
  g_assert_true (json_object_has_member (measured, "cpu_client_us"));
  g_assert_true (json_object_has_member (measured, "wire_sent_bytes"));
  g_assert_false (json_object_has_member (measured, "cpu_gateway_us")); /* nobody knows it */
  JsonObject *p50 = json_object_get_object_member (measured, "p50_us");
  g_assert_cmpfloat (json_object_get_double_member (p50, "median"), ==, 8.25);
  JsonArray *turns = json_object_get_array_member (p50, "turns");
  g_assert_cmpuint (json_array_get_length (turns), ==, 2);
  g_assert_cmpfloat (json_array_get_double_element (turns, 0), ==, 7.25);
  g_assert_cmpfloat (json_array_get_double_element (turns, 1), ==, 9.25);
  JsonObject *cost = json_object_get_object_member (measured, "per_operation");
  g_assert_cmpfloat (json_object_get_double_member (cost, "calls"), ==, 4.02);
  g_assert_cmpfloat (json_object_get_double_member (cost, "rows_read"), ==, 0.5);
  g_assert_cmpfloat (json_object_get_double_member (cost, "durable_writes"), ==, 0.07);
}

/* The JSON has the state of the store and the machine beside the figures. */
static void
test_conditions (void)
{
  TallBenchRecord records[] = { make_record (7, &tall_layout_wide, &tall_key_raw),
                                make_record (7, &tall_layout_wide, &tall_key_raw),
                                make_record (1, &tall_layout_blob, &tall_key_hashed) };
  const TallBenchStored size = { &tall_layout_wide, &tall_key_raw, 20, 10 };
  const TallBenchConditions conditions = { .compression = "gz",
                                           .block_encoding = "fast_diff",
                                           .regions = 16,
                                           .age = 3,
                                           .rest = TALL_BENCH_COMPACTED,
                                           .cache = 8 };
  records[1].metrics[TALL_BENCH_P50] = 9.25;
  const TallBenchSetting setting = { { (char *)"today", (char *)"bench", NULL, (char *)"2" } };
  records[1].cost.deletes = 8;
  g_autoptr (GPtrArray) summaries = tall_bench_summarize (records, G_N_ELEMENTS (records));
  g_autoptr (GArray) stored = g_array_new (FALSE, FALSE, sizeof (TallBenchStored));
  g_array_append_val (stored, size);
  TallBenchResults results = { .store = "hbase",
                               .n_clients = 4,
                               .n_orders = 30,
                               .n_customers = 7,
                               .n_lines = 200,
                               .seconds = 1.5,
                               .rate = 250,
                               .mix = "get=1",
                               .has_seed = TRUE,
                               .seed = 7,
                               .n_turns = 2,
                               .stopped = TRUE,
                               .summaries = summaries,
                               .stored = stored,
                               .conditions = &conditions,
                               .setting = &setting };
  g_autofree char *json = tall_bench_results_to_json (&results);
  g_autoptr (JsonNode) node = must (json_from_string (json, &error));
  JsonObject *report = json_node_get_object (node);
  JsonObject *told = json_object_get_object_member (report, "conditions");
  g_assert_cmpstr (json_object_get_string_member (told, "compression"), ==, "gz");
  g_assert_cmpstr (json_object_get_string_member (told, "block_encoding"), ==, "fast_diff");
  g_assert_cmpstr (json_object_get_string_member (told, "rest"), ==, "compacted");
  g_assert_cmpint (json_object_get_int_member (told, "regions"), ==, 16);
  g_assert_cmpint (json_object_get_int_member (told, "age"), ==, 3);
  g_assert_cmpfloat (json_object_get_double_member (told, "cache"), ==, 8);
  JsonObject *machine = json_object_get_object_member (report, "setting");
  g_assert_cmpstr (json_object_get_string_member (machine, "date"), ==, "today");
  g_assert_cmpstr (json_object_get_string_member (machine, "command"), ==, "bench");
  g_assert_cmpuint (json_object_get_size (machine), ==, 3); /* what is not known is left out */
  g_assert_false (json_object_get_boolean_member (report, "complete"));
  g_assert_cmpstr (json_object_get_string_member (report, "mix"), ==, "get=1");
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (report, "stored")), ==, 1);
  JsonObject *phases = json_object_get_object_member (report, "phases");
  g_assert_cmpuint (json_object_get_size (phases), ==, 2);
  JsonObject *verdicts = json_object_get_object_member (report, "verdicts");
  g_assert_cmpuint (json_object_get_size (verdicts), ==, 0); /* two turns are too few */
}

/* Three turns of three layouts. */
static GArray *
make_turns (const double rates[3][3])
{
  static const TallLayout *const layouts[] = { &tall_layout_blob, &tall_layout_wide,
                                               &tall_layout_normalized };
  GArray *records = g_array_new (FALSE, FALSE, sizeof (TallBenchRecord));
  for (guint turn = 0; turn < 3; turn++)
    for (guint i = 0; i < 3; i++)
      {
        TallBenchRecord record = make_record (1, layouts[i], &tall_key_hashed);
        record.metrics[TALL_BENCH_RATE] = rates[i][turn];
        g_array_append_val (records, record);
      }
  return records;
}

/* What lies as far apart as that is not alike. */
static void
test_scattered (void)
{
  static const double rates[3][3] = { { 90, 119, 120 }, { 118, 130, 125 }, { 50, 60, 70 } };
  g_autoptr (GArray) records = make_turns (rates);
  g_autoptr (GPtrArray) summaries =
      tall_bench_summarize ((const TallBenchRecord *)(gpointer)records->data, records->len);
  const TallBenchResults results = { .store = "rocksdb", .n_turns = 3, .summaries = summaries };
  g_autofree char *text = tall_bench_results_to_text (&results);
  g_assert_nonnull (
      strstr (text, "too scattered to tell apart: wide, blob; 2.08 times the next\n"));
}

/* The two best overlap. */
static void
test_verdict (void)
{
  static const double rates[3][3] = { { 100, 110, 120 }, { 118, 130, 125 }, { 50, 60, 70 } };
  g_autoptr (GArray) records = make_turns (rates);
  g_autoptr (GPtrArray) summaries =
      tall_bench_summarize ((const TallBenchRecord *)(gpointer)records->data, records->len);
  g_assert_cmpuint (summaries->len, ==, 3);
  g_auto (TallBenchVerdict) verdict = { NULL };
  tall_bench_verdict_init (&verdict, summaries, tall_bench_phases (&(guint){ 0 }) + 1,
                           TALL_BENCH_RATE);
  g_assert_cmpuint (verdict.best->len, ==, 2);
  const TallBenchSummary *best = g_ptr_array_index (verdict.best, 0);
  g_assert_true (best->layout == &tall_layout_wide);
  g_assert_cmpuint (best->cost.calls, ==, 3 * 402);
  g_assert_cmpfloat_with_epsilon (verdict.lead, 125.0 / 60, 1e-9);

  TallBenchResults results = { .store = "rocksdb", .n_turns = 3, .summaries = summaries };
  g_autofree char *text = tall_bench_results_to_text (&results);
  g_assert_nonnull (strstr (text, "no difference between wide, blob; 2.08 times the next\n"));
  g_assert_nonnull (strstr (text, "Medians of 3 turns"));

  /* At a given rate that is no merit: the least p99 is best. */
  results.rate = 120;
  for (guint i = 0; i < records->len; i++)
    g_array_index (records, TallBenchRecord, i).metrics[TALL_BENCH_P99] = 300 - 100 * (i % 3);
  g_autoptr (GPtrArray) at_rate =
      tall_bench_summarize ((const TallBenchRecord *)(gpointer)records->data, records->len);
  results.summaries = at_rate;
  g_autofree char *by_latency = tall_bench_results_to_text (&results);
  g_assert_nonnull (
      strstr (by_latency, "best: normalized by p99; the next takes 2.00 times as long\n"));
  results.rate = 0;

  /* Stopped after the second turn. */
  g_autoptr (GPtrArray) two =
      tall_bench_summarize ((const TallBenchRecord *)(gpointer)records->data, 2 * 3);
  results.summaries = two;
  results.stopped = TRUE;
  g_autofree char *few = tall_bench_results_to_text (&results);
  g_assert_null (strstr (few, "no difference"));
  g_assert_null (strstr (few, "times the next"));
  g_assert_nonnull (strstr (few, "not all: the run was stopped"));
  g_assert_nonnull (strstr (few, "Medians of up to 3 turns"));
}

/* What is stored has a table of its own, and is exact for programs. */
static void
test_stored (void)
{
  const TallBenchStored sizes[] = {
    { &tall_layout_blob, &tall_key_hashed, 10500, 7000 },
    { &tall_layout_normalized, &tall_key_hashed, 1234560, 123456 },
  };
  g_autoptr (GArray) stored = g_array_new (FALSE, FALSE, sizeof (TallBenchStored));
  g_array_append_vals (stored, sizes, G_N_ELEMENTS (sizes));
  g_autoptr (GPtrArray) summaries = g_ptr_array_new ();
  const TallBenchConditions conditions = { .age = 9, .rest = TALL_BENCH_FLUSHED, .cache = 0.5 };
  TallBenchResults results = { .store = "rocksdb",
                               .n_orders = 10,
                               .summaries = summaries,
                               .stored = stored,
                               .conditions = &conditions };
  g_autofree char *text = tall_bench_results_to_text (&results);
  assert_section (text, "stored: ",
                  "stored: bytes of an order on the disk, with all that belongs to it\n"
                  "  layout      key     flushed  compacted\n"
                  "  blob        hashed     1050        700\n"
                  "  normalized  hashed   123456      12346\n");
  g_assert_null (strstr (text, "spent: "));

  g_autofree char *json = tall_bench_results_to_json (&results);
  g_autoptr (JsonNode) root = json_from_string (json, NULL);
  JsonObject *object = json_node_get_object (root);
  JsonObject *second =
      json_array_get_object_element (json_object_get_array_member (object, "stored"), 1);
  g_assert_cmpstr (json_object_get_string_member (second, "layout"), ==, "normalized");
  g_assert_cmpint (json_object_get_int_member (second, "flushed_bytes"), ==, 1234560);
  g_assert_cmpint (json_object_get_int_member (second, "compacted_bytes"), ==, 123456);
  JsonObject *found = json_object_get_object_member (object, "conditions");
  g_assert_cmpint (json_object_get_int_member (found, "age"), ==, 9);
  g_assert_cmpstr (json_object_get_string_member (found, "rest"), ==, "flushed");
  g_assert_cmpfloat (json_object_get_double_member (found, "cache"), ==, 0.5);
  g_assert_false (json_object_has_member (found, "compression"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bench/results/text", test_text);
  g_test_add_func ("/bench/results/text-keys", test_text_keys);
  g_test_add_func ("/bench/results/json", test_json);
  g_test_add_func ("/bench/results/stored", test_stored);
  g_test_add_func ("/bench/results/conditions", test_conditions);
  g_test_add_func ("/bench/results/verdict", test_verdict);
  g_test_add_func ("/bench/results/scattered", test_scattered);
  return g_test_run ();
}
