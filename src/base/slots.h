/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

/**
 * TallSlot:
 *
 * A function that every implementation of a contract must have.
 */
typedef struct
{
  const char *name;
  gsize offset; /* bytes from the start of the table of functions */
} TallSlot;

#define TALL_SLOT(type, member)                                                                    \
  {                                                                                                \
    .name = #member, .offset = G_STRUCT_OFFSET (type, member)                                      \
  }

void tall_slots_check (const char *implementation,
                       const char *contract,
                       gconstpointer functions,
                       const TallSlot *slots,
                       guint n);
