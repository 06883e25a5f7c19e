/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/settle.h"

#include "tall-error.h"
#include "tall-must.h"

static void
test_output (void)
{
  const char *const arguments[] = { "sh", "-c", "cat; echo wrong >&2; exit 3", NULL };
  g_auto (TallBenchProgram) program = { .arguments = arguments, .input = "in", .seconds = 60 };
  must (tall_bench_program_run (&program, &error));
  g_assert_cmpstr (program.out, ==, "in");
  g_assert_cmpstr (program.said, ==, "wrong\n");
  g_assert_false (program.successful);
}

static void
test_success (void)
{
  const char *const arguments[] = { "true", NULL };
  g_auto (TallBenchProgram) program = { .arguments = arguments, .seconds = 60 };
  g_assert_true (tall_bench_program_run (&program, NULL));
  g_assert_true (program.successful);
}

/* It is asked to end, and can clean up. */
static void
test_late (void)
{
  const char *const arguments[] = { "sh", "-c",
                                    "trap 'echo cleaned; exit' TERM; while :; do :; done", NULL };
  g_auto (TallBenchProgram) program = { .arguments = arguments, .seconds = 1 };
  g_autoptr (GError) error = NULL;
  g_assert_false (tall_bench_program_run (&program, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE);
  g_assert_cmpstr (error->message, ==, "sh has not ended within 1 s");
  g_assert_cmpstr (program.out, ==, "cleaned\n");
}

/* One that does not listen is killed; what it has begun may live, and keep its output open. */
static void
test_stubborn (void)
{
  const char *const arguments[] = { "sh", "-c", "trap '' TERM; sleep 600 & while :; do :; done",
                                    NULL };
  g_auto (TallBenchProgram) program = { .arguments = arguments, .seconds = 0 };
  must_fail (tall_bench_program_run (&program, &error), TALL_ERROR_UNAVAILABLE);
}

static void
test_missing (void)
{
  const char *const arguments[] = { "/no/program", NULL };
  g_auto (TallBenchProgram) program = { .arguments = arguments, .seconds = 60 };
  g_autoptr (GError) error = NULL;
  g_assert_false (tall_bench_program_run (&program, &error));
  g_assert_nonnull (error);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bench/program/output", test_output);
  g_test_add_func ("/bench/program/success", test_success);
  g_test_add_func ("/bench/program/late", test_late);
  g_test_add_func ("/bench/program/stubborn", test_stubborn);
  g_test_add_func ("/bench/program/missing", test_missing);
  return g_test_run ();
}
