/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * TallBenchProgram:
 *
 * Another program that does something and ends. What it has printed is owned.
 */
typedef struct
{
  const char *const *arguments; /* the first one is its name */
  const char *input;            /* nullable: what it reads from its standard input */
  guint seconds;                /* that it may take */
  char *out;                    /* nullable */
  char *said;                   /* nullable: to its standard error */
  gboolean successful;          /* it has ended with 0 */
} TallBenchProgram;

gboolean tall_bench_program_run (TallBenchProgram *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_bench_program_clear (TallBenchProgram *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallBenchProgram, tall_bench_program_clear)

G_END_DECLS
