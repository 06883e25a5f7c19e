/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-test-layout.h"

G_BEGIN_DECLS

/* Rows that a layout does not write, and what it makes of them: customer VINET's order 10248 at
 * %TALL_TEST_ROWS_REVISION. */
#define TALL_TEST_ROWS_REVISION G_GINT64_CONSTANT (1700000000000)

/* The bytes of a text with NULs in it. */
#define TALL_TEST_SLICE(bytes) (tall_slice ((bytes), sizeof (bytes) - 1))

/* A key, qualifier or value; as a text and its length. */
typedef struct
{
  const char *bytes;
  gsize len;
} TallTestBytes;

#define TALL_TEST_BYTES(text)                                                                      \
  {                                                                                                \
    (text), sizeof (text) - 1                                                                      \
  }

/**
 * TallTestRowsDamage:
 *
 * A cell of the revision that is put into rows that are intact, or have the cell before it.
 */
typedef struct
{
  const char *table;
  TallTestBytes row;
  const char *qualifier;
  TallTestBytes value;
  const char *what;     /* is said of the row; NULL: the next cell is put beside it */
  TallTestBytes blamed; /* nothing: that row; else another one, of which it is said */
} TallTestRowsDamage;

/**
 * TallTestRowsKind:
 *
 * What a test begins with: the rows of an order, under raw keys; and what every layout is tested
 * with. The data of every test.
 */
typedef struct
{
  const TallLayout *layout;
  TallOrder *(*make_order) (void);
  const TallTestRowsDamage *damages; /* n_damages of them, each by itself */
  guint n_damages;
  const TallTestRowsDamage *bad_keys; /* n_bad_keys rows that it does not make */
  guint n_bad_keys;
  const TallTestRowsDamage *others; /* n_others cells that count for nothing at other revisions */
  guint n_others;
} TallTestRowsKind;

typedef struct
{
  const char *name;
  void (*test) (TallTestLayout *self, gconstpointer kind);
} TallTestRowsTest;

void
tall_test_rows_add (const TallTestRowsKind *kind, const TallTestRowsTest *tests, guint n_tests);
void tall_test_rows_begin_again (TallTestLayout *self, gconstpointer kind);
void tall_test_rows_intact (TallTestLayout *self, gconstpointer kind);
TallOrder *tall_test_rows_make_order (void);

void tall_test_rows_put_cell (const TallTestLayout *self,
                              const char *table,
                              TallSlice row,
                              TallSlice qualifier,
                              gint64 timestamp,
                              TallSlice value);
void tall_test_rows_delete (const TallTestLayout *self, const char *table, TallSlice row);

TallOrder *tall_test_rows_decode (const TallTestLayout *self);
void tall_test_rows_assert_order (const TallTestLayout *self, const TallOrder *expected);
void tall_test_rows_assert_damaged (const TallTestLayout *self,
                                    const char *table,
                                    TallSlice row,
                                    const char *what);

G_END_DECLS
