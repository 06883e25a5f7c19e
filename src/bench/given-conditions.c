/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/given.h"

#define MAX_AGE 1000
#define MAX_CACHE 1000

/**
 * tall_bench_given_read_conditions:
 *
 * Sets the conditions but for the processes.
 *
 * Returns: (nullable): what is wrong
 */
const char *
tall_bench_given_read_conditions (TallBenchGiven *self)
{
  TallBenchConditions *conditions = &self->conditions;
  conditions->compression = self->compression;
  conditions->block_encoding = self->block_encoding;
  conditions->admin = self->admin;
  if (self->regions != TALL_BENCH_NO_COUNT
      && (self->regions < 1 || self->regions > TALL_MAX_REGIONS))
    return "--regions: choose 1 to " G_STRINGIFY (TALL_MAX_REGIONS);
  if (self->age != TALL_BENCH_NO_COUNT && (self->age < 0 || self->age > MAX_AGE))
    return "--age: choose 0 to " G_STRINGIFY (MAX_AGE);
  if (self->cache != TALL_BENCH_NO_NUMBER && !(self->cache > 0 && self->cache <= MAX_CACHE))
    return "--cache: choose more than 0, to " G_STRINGIFY (MAX_CACHE);
  conditions->regions = (guint)MAX (self->regions, 0);
  conditions->age = (guint)MAX (self->age, 0);
  conditions->cache = MAX (self->cache, 0);
  if (conditions->cache > 0)
    conditions->rest = TALL_BENCH_COMPACTED;
  if (self->rest == NULL)
    return NULL;
  for (guint i = 0; tall_bench_rest_names[i] != NULL; i++)
    if (g_str_equal (self->rest, tall_bench_rest_names[i]))
      {
        conditions->rest = (TallBenchRest)i;
        return conditions->cache > 0 && i == TALL_BENCH_AS_IT_IS
                   ? "--cache needs rows in files: --rest flushed or compacted"
                   : NULL;
      }
  return "--rest: choose as-it-is, flushed or compacted";
}
