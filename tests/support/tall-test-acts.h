/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-test-store.h"

G_BEGIN_DECLS

/**
 * TallTestAct:
 *
 * Something that a client asks of a front, and how it is to end, whatever happens to the tables
 * meanwhile.
 */
typedef struct
{
  const char *name;
  GError *(*run) (TallFront *front); /* (nullable) (transfer full): the first error that it got */
  void (*check) (TallFront *front);  /* afterwards; fails the test */
} TallTestAct;

const TallTestAct *tall_test_acts (guint *n);
void tall_test_acts_prepare (TallFront *front);

/* Of VINET's orders: the mark of its writer; 0: there is none. */
guint tall_test_get_writer (TallFront *front, const char *order_number);
gint64 tall_test_put_writer (TallFront *front, const char *order_number, guint writer);

G_END_DECLS
