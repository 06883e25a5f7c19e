/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * TallCsvComposite:
 *
 * A column made of others and of texts, such as `First + " " + Last`. Does not change, so that any
 * thread may read it.
 */
typedef struct _TallCsvComposite TallCsvComposite;

TallCsvComposite *
tall_csv_composite_new (const char *expression, const char *const *columns, char **missing);
void tall_csv_composite_free (TallCsvComposite *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallCsvComposite, tall_csv_composite_free)

void
tall_csv_composite_write (const TallCsvComposite *self, const char *const *fields, GString *text);
gint tall_csv_find_column (const char *const *columns, const char *name);

G_END_DECLS
