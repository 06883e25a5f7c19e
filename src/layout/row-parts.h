/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "layout/layout.h"

G_BEGIN_DECLS

/**
 * TallRowParts:
 *
 * Names the parts of a row key from left to right. Once a part is not there, the rest of the key
 * becomes one part `unexpected`, and all later steps do nothing.
 */
typedef struct
{
  const TallKeyStrategy *strategy;
  TallSlice rest;
  GArray *parts; /* of TallRowPart; not owned */
  gboolean failed;
} TallRowParts;

static inline TallRowParts
tall_row_parts (const TallKeyStrategy *strategy, TallSlice row, GArray *parts)
{
  return (TallRowParts){ strategy, row, parts, FALSE };
}

void tall_row_parts_take (TallRowParts *self, const char *name, gssize len);
void tall_row_parts_take_customer (TallRowParts *self);
void tall_row_parts_take_order (TallRowParts *self);
int tall_row_parts_take_type (TallRowParts *self, guint8 first, guint8 last);
void tall_row_parts_end (TallRowParts *self);

G_END_DECLS
