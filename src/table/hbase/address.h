/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/table.h"
#include "table/table-kind.h"

G_BEGIN_DECLS

/**
 * TallHbaseAddress:
 *
 * What an address says about an HBase: options for opening it. Texts are owned by this; the name is
 * that of the address.
 */
typedef struct
{
  TallHbaseOptions options;
  GStrv gateways;
} TallHbaseAddress;

void tall_hbase_address_init (TallHbaseAddress *self, const TallTableAddress *address);
void tall_hbase_address_clear (TallHbaseAddress *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallHbaseAddress, tall_hbase_address_clear)

G_END_DECLS
