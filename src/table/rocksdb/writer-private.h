/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/rocksdb/writer.h"

G_BEGIN_DECLS

struct _TallRocksdbWriter
{
  TallRocksdbDatabase *database; /* not owned: its owner is ours */
  rocksdb_t *db;
  rocksdb_readoptions_t *read_options;
  rocksdb_writeoptions_t *durable; /* syncs the log, with all that was written to it before */
  rocksdb_writeoptions_t *later; /* in the log, not synced: survives the process, not the machine */
  GMutex *turn;                  /* owned; held for each write if nothing is synced; else NULL */
};

G_END_DECLS
