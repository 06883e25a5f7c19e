/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "floor.h"

#include <json-glib/json-glib.h>
#include <sys/wait.h>

#include "tall-error.h"
#include "layout/layout.h"
#include "tall-test-directory.h"
#include "tall-must.h"

/* Runs the command in a directory. Returns: (transfer full): what it prints. @exit is its exit code
 */
static char *
run_command (const char *directory, int *exit)
{
  g_autofree char *program =
      g_build_filename (g_getenv ("TALL_BUILD_ROOT"), "tests", "perf", "tallorder-perf", NULL);
  g_autofree char *store = g_strconcat ("rocksdb:", directory, NULL);
  const char *const argv[] = { program,   "calls",   "--json",  "--store", store,
                               "--count", "50",      "--lines", "3",       "--seconds",
                               "0",       "--check", NULL };
  g_autofree char *messages = NULL;
  char *printed = NULL;
  int status = -1;
  must (g_spawn_sync (NULL, (char **)argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &printed, &messages,
                      &status, &error));
  g_assert_cmpstr (messages, ==, "");
  g_assert_true (WIFEXITED (status));
  *exit = WEXITSTATUS (status);
  return printed;
}

static JsonObject *
find_figure (JsonObject *report, const char *id)
{
  JsonArray *figures = json_object_get_array_member (report, "figures");
  for (guint i = 0; i < json_array_get_length (figures); i++)
    {
      JsonObject *figure = json_array_get_object_element (figures, i);
      if (g_str_equal (json_object_get_string_member (figure, "id"), id))
        return figure;
    }
  g_error ("there is no figure %s", id);
}

static void
check_figure (JsonObject *report, const char *id, double goal)
{
  JsonObject *figure = find_figure (report, id);
  g_assert_cmpfloat (json_object_get_double_member (figure, "goal"), ==, goal);
  JsonObject *ours = json_object_get_object_member (figure, "ours_measured");
  JsonObject *floor = json_object_get_object_member (figure, "floor_measured");
  g_assert_cmpint (json_object_get_int_member (ours, "operations"), >, 0);
  g_assert_cmpint (json_object_get_int_member (floor, "operations"), >, 0);
  g_assert_cmpint (json_object_get_int_member (ours, "rounds"), >=, 3);
  g_assert_cmpfloat (json_object_get_double_member (ours, "p50_us"), >, 0);
}

/* Its two sides are percentiles of the same puts, in microseconds. */
static void
check_tail (JsonObject *report)
{
  JsonObject *figure = find_figure (report, "rocksdb-writers-unsynced-tail");
  JsonObject *measured = json_object_get_object_member (figure, "ours_measured");
  double p95 = json_object_get_double_member (measured, "p95_us");
  double p50 = json_object_get_double_member (measured, "p50_us");
  g_assert_cmpfloat (json_object_get_double_member (figure, "ours"), ==, p95);
  g_assert_cmpfloat (json_object_get_double_member (figure, "floor"), ==, p50);
  g_assert_cmpfloat (p95, >, p50);
}

static gboolean
has_missed (JsonObject *report)
{
  JsonArray *figures = json_object_get_array_member (report, "figures");
  for (guint i = 0; i < json_array_get_length (figures); i++)
    if (!json_object_get_boolean_member (json_array_get_object_element (figures, i), "reached"))
      return TRUE;
  return FALSE;
}

/* Every figure is there, whatever its value; the exit code says whether a goal is missed. Standard
 * error, which is not a terminal, stays empty, and no store is left behind. */
static void
test_command (void)
{
  g_autofree char *directory = tall_test_directory_new ();
  int exit;
  g_autofree char *json = run_command (directory, &exit);
  g_autoptr (JsonNode) root = must (json_from_string (json, &error));
  JsonObject *object = json_node_get_object (root);
  g_assert_cmpint (json_object_get_int_member (object, "lines"), ==, 3);
  g_assert_cmpint (exit, ==, has_missed (object) ? 1 : 0);
  check_figure (object, "rocksdb-get", 0.6);
  check_figure (object, "rocksdb-put", 0.5);
  check_figure (object, "rocksdb-put-batched", 0.5);
  check_figure (object, "rocksdb-writers", 5);
  check_figure (object, "rocksdb-writers-unsynced", 1);
  check_figure (object, "rocksdb-writers-unsynced-raw", 0.5);
  check_figure (object, "rocksdb-writers-unsynced-tail", 10);
  check_tail (object);
  check_figure (object, "service-get", 2);
  check_figure (object, "rocksdb-list-first", 1.5);
  check_figure (object, "rocksdb-list-any", 1.5);
  check_figure (object, "rocksdb-list-page", 4);

  guint n_layouts;
  const TallLayout *const *layouts = tall_layouts (&n_layouts);
  for (guint i = 0; i < n_layouts; i++)
    {
      g_autofree char *get = g_strdup_printf ("line-get-%s", layouts[i]->name);
      g_autofree char *put = g_strdup_printf ("line-put-%s", layouts[i]->name);
      check_figure (object, get, 1.3);
      check_figure (object, put, 1.3);
      if (layouts[i]->single_row)
        continue;
      g_autofree char *few = g_strdup_printf ("rocksdb-rows-%s", layouts[i]->name);
      g_autofree char *many = g_strdup_printf ("rocksdb-rows-%s-many", layouts[i]->name);
      g_autofree char *replace = g_strdup_printf ("rocksdb-replace-%s", layouts[i]->name);
      check_figure (object, replace, 0.36);
      check_figure (object, few, 1.5);
      check_figure (object, many, 1.5);
    }

  g_autoptr (GDir) left = must (g_dir_open (directory, 0, &error));
  g_assert_cmpstr (g_dir_read_name (left), ==, NULL);
  tall_test_directory_remove (directory);
}

/* A failed measurement is an error, not a figure. */
static void
test_failures (void)
{
  g_autoptr (TallBenchReport) report = tall_bench_report_new ();
  TallFloorOptions options = TALL_FLOOR_OPTIONS_INIT;
  TallTableAddress place = { .kind = &tall_table_kind_rocksdb, .place = (char *)"/nonexistent" };
  options.address = &place;
  must_fail (tall_floor_run (&options, report, &error), TALL_ERROR_UNAVAILABLE, "/nonexistent");

  /* Nobody listens on the discard port of the loopback. */
  TallTableAddress gateway = { .kind = &tall_table_kind_hbase, .place = (char *)"127.0.0.1:9" };
  options.address = &gateway;
  must_fail (tall_floor_run (&options, report, &error), TALL_ERROR_UNAVAILABLE);
}

/* What only one kind of tables has is refused by its name on the other. */
static void
test_unsupported (void)
{
  static const struct
  {
    const TallTableKind *kind;
    TallFloorSubject subject;
    const char *words;
  } cases[] = {
    { &tall_table_kind_rocksdb, TALL_FLOOR_FETCH, "that fetching from a store on " },
    { &tall_table_kind_hbase, TALL_FLOOR_TLS, "that TLS before a store on " },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TallBenchReport) report = tall_bench_report_new ();
      TallTableAddress address = { .kind = cases[i].kind, .place = (char *)"127.0.0.1:9" };
      TallFloorOptions options = TALL_FLOOR_OPTIONS_INIT;
      options.address = &address;
      options.subject = cases[i].subject;
      must_fail (tall_floor_run (&options, report, &error), TALL_ERROR_UNSUPPORTED, cases[i].words);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/perf/floor/command", test_command);
  g_test_add_func ("/perf/floor/failures", test_failures);
  g_test_add_func ("/perf/floor/unsupported", test_unsupported);
  return g_test_run ();
}
