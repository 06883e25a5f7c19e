/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "model/model-type.h"
#include "load/mapping/value.h"

G_BEGIN_DECLS

/* Which thing a field belongs to; also the names of the groups in a mapping file. */
typedef enum
{
  TALL_SCOPE_ORDER,
  TALL_SCOPE_LOCATION,
  TALL_SCOPE_LINE,
  TALL_SCOPE_CUSTOMER,
} TallCsvScope;
#define TALL_N_SCOPES 4

/* A field that a column can feed: one of the model, or one of its address. */
typedef struct
{
  TallCsvScope scope;
  const char *name;              /* as in a mapping file */
  const TallModelField *field;   /* of the scope's struct, or of the address */
  const TallModelField *address; /* of the scope's struct; NULL: the field is not of an address */
  const char *prefix; /* of its names: `attribute.`, `adjustment.`; NULL: it has one name */
  const char *kind;   /* of adjustments that are taken off; NULL: the field is not of these */
} TallCsvField;

const TallCsvField *tall_csv_fields (guint *n);
const TallCsvField *tall_csv_field_find (TallCsvScope scope, const char *name);
const char *tall_csv_field_get_part (const TallCsvField *self, const char *name);
const char *tall_csv_field_scope_name (TallCsvScope scope);
const char *tall_csv_field_fault (const TallCsvField *self);
gboolean tall_csv_field_is_customer_number (const TallCsvField *self);
gboolean tall_csv_field_is_order_number (const TallCsvField *self);
gboolean tall_csv_field_set (const TallCsvField *self,
                             const TallValueFormat *format,
                             TallArena *arena,
                             gpointer target,
                             const char *text,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
