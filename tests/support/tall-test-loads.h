/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-faulty-front.h"
#include "load/store/loader.h"

G_BEGIN_DECLS

/**
 * TallTestLoad:
 *
 * A load of files that are texts. Before it runs, @options and @rejects may be changed.
 */
typedef struct
{
  const char *map;
  TallLoadFiles *files;
  TallLoadOptions options;
  TallRejects *rejects;
  TallLoadSummary summary;
  GError *error;
} TallTestLoad;

void tall_test_load_init (TallTestLoad *self, const char *map);
void tall_test_load_clear (TallTestLoad *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallTestLoad, tall_test_load_clear)

/* @kind: the table of the query that it is; NULL: `csv`, or the mapping is none */
void tall_test_load_add (TallTestLoad *self, const char *kind, const char *text, gssize len);

/* Runs it, and asserts the sums of all files: after a load that was cut short, rows may have no
 * end, but none has two. @front: NULL: a dry run */
gboolean tall_test_load_run (TallTestLoad *self, TallFaultyFront *front);

/* The order as JSON; NULL: it is not stored. */
char *tall_test_load_get_json (TallFaultyFront *front, const char *customer, const char *order);

void tall_test_load_shuffle (GPtrArray *rows, GRand *rand);

G_END_DECLS
