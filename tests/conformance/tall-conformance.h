/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/table.h"

G_BEGIN_DECLS

/* Returns: (transfer full): the tables of a deployment in the store under test; a test asks for
 * several names, and may ask for one twice. */
typedef TallTable *(*TallConformanceOpen) (const char *name, gpointer data);

/**
 * TallConformanceBackend:
 *
 * A store under test.
 */
typedef struct
{
  const char *prefix; /* of the paths of its tests, such as `/table/memory` */
  TallConformanceOpen open;
  gpointer data;      /* for @open */
  guint n_operations; /* of the comparison with the memory table; 0 = 20,000 */
  gboolean no_splits; /* it can not create a table with split points */
  gboolean no_access; /* it can not seal or close a table */
  gboolean may_hang;  /* some calls on a closed table have no answer: those are left out */
} TallConformanceBackend;

typedef struct _TallConformance TallConformance;

/* Adds all cases; to be freed after g_test_run(), which drops the tables that they shared. */
TallConformance *tall_conformance_add (const TallConformanceBackend *backend);
void tall_conformance_free (TallConformance *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallConformance, tall_conformance_free)

G_END_DECLS
