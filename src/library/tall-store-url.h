/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-table.h"

G_BEGIN_DECLS

typedef enum
{
  TALL_STORE_ROCKSDB,
  TALL_STORE_HBASE,
} TallStoreKind;

/**
 * TallStoreUrl:
 *
 * Where a deployment is kept:
 *
 *     rocksdb:DIR[?name=N&sync=0|1]
 *     hbase://host:port[,host:port][?name=N&framed=0|1&protocol=binary|compact]
 *
 * A `%` and two hex digits stand for a byte, so that a directory may have a `?` in its name.
 */
typedef struct
{
  TallStoreKind kind;
  char *name;       /* of the deployment; NULL: the usual one */
  char *directory;  /* rocksdb */
  gboolean sync;    /* rocksdb */
  GStrv gateways;   /* hbase */
  gboolean framed;  /* hbase */
  gboolean compact; /* hbase */
} TallStoreUrl;

TallStoreUrl *tall_store_url_parse (const char *text, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_store_url_free (TallStoreUrl *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallStoreUrl, tall_store_url_free)

TallTable *tall_store_url_open (const TallStoreUrl *self,
                                gboolean create,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
