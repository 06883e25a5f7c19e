/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "bench/meter.h"
#include "bench/settle.h"

G_BEGIN_DECLS

/**
 * TallBenchConditions:
 *
 * In which state a store is when it is measured, and who works for it. All zero: new, as it comes
 * to lie, with what the store usually does. Texts are not owned.
 */
typedef struct
{
  const char *compression;    /* nullable: the store's own */
  const char *block_encoding; /* the same */
  guint regions;              /* that its tables begin with; 0: not said, which makes one */
  guint age;                  /* times that each order was replaced before */
  TallBenchRest rest;         /* how the rows lie then */
  double cache;               /* the block cache, by the bytes stored then; read without the page
                                 cache. 0: a usual one */
  const char *admin;          /* nullable: see tall_bench_settle() */
  TallBenchPids pids;
} TallBenchConditions;

G_END_DECLS
