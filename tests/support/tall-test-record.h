/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/table.h"

G_BEGIN_DECLS

/* Columns of the deployment record as they are stored, past everything that checks them. */

char *tall_test_record_read (TallTable *table, const char *column);
void tall_test_record_expect (TallTable *table, const char *column, const char *expected);
void
tall_test_record_write (TallTable *table, const char *column, const char *value, gint64 timestamp);

G_END_DECLS
