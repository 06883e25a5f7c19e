/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * TallIndexKind:
 * @TALL_INDEX_BY_DATE: a customer's orders can be listed by date; the default
 * @TALL_INDEX_NONE: they cannot, which saves a put of an order one call
 */
typedef enum
{
  TALL_INDEX_BY_DATE,
  TALL_INDEX_NONE,
} TallIndexKind;

const char *tall_index_kind_get_name (TallIndexKind self);
gboolean tall_index_kind_choose (const char *name, TallIndexKind *kind) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_index_kind_parse (const char *name,
                                TallIndexKind *kind,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
char *tall_index_kind_list_names (const char *separator);

G_END_DECLS
