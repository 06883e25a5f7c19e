/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-thrift.h"

G_BEGIN_DECLS

/**
 * TallFakeTable:
 *
 * The one table of a fake gateway: what its descriptor has beside its family, and whether it is
 * enabled. Begins zeroed: enabled, with no attributes.
 */
typedef struct
{
  GMutex mutex; /* for all of it */
  gboolean disabled;
  GPtrArray *attributes; /* of GBytes: key, value, key, value …; NULL: none */
} TallFakeTable;

void tall_fake_table_clear (TallFakeTable *self);
gboolean tall_fake_table_is_disabled (TallFakeTable *self);
void tall_fake_table_set_disabled (TallFakeTable *self, gboolean disabled);
void tall_fake_table_set_attributes (TallFakeTable *self, GPtrArray *attributes);
char *tall_fake_table_get_attributes (TallFakeTable *self);
void tall_fake_table_write (TallFakeTable *self, ThriftProtocol *protocol);
void
tall_fake_table_read_attributes (ThriftProtocol *protocol, GPtrArray *attributes, GError **error);

G_END_DECLS
