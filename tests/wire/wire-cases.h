/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

/* Tests that run for both protocols: the pointer that each gets tells whether it is the compact
 * one. */
#define COMPACT GPOINTER_TO_INT (data)

typedef struct
{
  const char *name;
  GTestDataFunc function;
} WireCase;

/* As /wire/@program/binary/… and /wire/@program/compact/… */
static inline void
wire_add_cases (const char *program, const WireCase *cases, guint n)
{
  for (guint i = 0; i < n; i++)
    for (guint compact = 0; compact < 2; compact++)
      {
        g_autofree char *path = g_strdup_printf ("/wire/%s/%s/%s", program,
                                                 compact ? "compact" : "binary", cases[i].name);
        g_test_add_data_func (path, GUINT_TO_POINTER (compact), cases[i].function);
      }
}
