/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/rocksdb/family.h"

G_BEGIN_DECLS

/**
 * TallRocksdbFamilies:
 *
 * The tables of an open database, by deployment and name. Safe to be used by many threads at once.
 */
typedef struct _TallRocksdbFamilies TallRocksdbFamilies;

TallRocksdbFamilies *tall_rocksdb_families_new (void);
void tall_rocksdb_families_free (TallRocksdbFamilies *self);

void tall_rocksdb_families_add (TallRocksdbFamilies *self,
                                const char *deployment,
                                TallRocksdbFamily *family);
void
tall_rocksdb_families_remove (TallRocksdbFamilies *self, const char *deployment, const char *table);
TallRocksdbFamily *
tall_rocksdb_families_find (TallRocksdbFamilies *self, const char *deployment, const char *table);
void tall_rocksdb_families_add_handles (TallRocksdbFamilies *self, GPtrArray *handles);
GStrv tall_rocksdb_families_list (TallRocksdbFamilies *self, const char *deployment);
GStrv tall_rocksdb_families_list_deployments (TallRocksdbFamilies *self, const char *table);

G_END_DECLS
