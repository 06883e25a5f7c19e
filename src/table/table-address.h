/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/table.h"

G_BEGIN_DECLS

typedef struct _TallTableKind TallTableKind;

#define TALL_TABLE_MAX_CHOICES 4 /* of one kind */

/**
 * TallTableAddress:
 *
 * Where the tables of a deployment are kept: `SCHEME PLACE [?PARAMETER=VALUE[&PARAMETER=VALUE…]]`,
 * such as `rocksdb:shop?name=trial&sync=0`. Every kind has the parameter `name`; the others are
 * those that it lists.
 */
typedef struct
{
  const TallTableKind *kind;
  char *place;                              /* as the kind understands it */
  char *name;                               /* of the deployment; NULL: the usual one */
  gboolean choices[TALL_TABLE_MAX_CHOICES]; /* by position in the kind's list: the second word */
  gsize cache_bytes; /* of memory for what is read, where that is taken; 0: a usual size. No
                      * parameter */
} TallTableAddress;

TallTableAddress *tall_table_address_new (const TallTableKind *kind,
                                          const char *rest,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallTableAddress *tall_table_address_copy (const TallTableAddress *self);
void tall_table_address_free (TallTableAddress *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallTableAddress, tall_table_address_free)

void tall_table_address_set_name (TallTableAddress *self, const char *name);
void tall_table_address_set_place (TallTableAddress *self, const char *place);
gboolean tall_table_address_get_choice (const TallTableAddress *self, const char *name);
TallTable *tall_table_address_open (const TallTableAddress *self,
                                    gboolean create,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
