/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-table.h"

G_DEFINE_ABSTRACT_TYPE (TallTable, tall_table, G_TYPE_OBJECT)

static void
tall_table_class_init (TallTableClass *klass G_GNUC_UNUSED)
{
}

static void
tall_table_init (TallTable *self G_GNUC_UNUSED)
{
}
