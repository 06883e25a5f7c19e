/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/advice-private.h"

#include <math.h>

/* Rules of HBase's reference guide and its defaults. */
#define REGION_BYTES (10.0 * 1024 * 1024 * 1024) /* hbase.hregion.max.filesize */
#define MEMSTORE_MIB 128                         /* hbase.hregion.memstore.flush.size */
#define MEMSTORE_SHARE 0.4                       /* of the heap: global.memstore.size */
#define BLOCK_BYTES 65536
#define BITS_A_KEY 9.585 /* of a Bloom filter with one error in 100: -ln (0.01) / ln (2)^2 */
#define MIB (1024.0 * 1024)
#define GIB (1024.0 * MIB)
#define PERCENT 100.0

static guint
count_tables (const TallAdviceCase *about)
{
  guint n = about->lists ? 1 : 0; /* of the index */
  for (const TallLayoutTable *table = about->layout->layout->tables; table->name != NULL; table++)
    n++;
  return n;
}

/* Regions of each table for which the servers have memory: each has a memstore. */
static double
find_most_regions (const TallAdviceCase *about)
{
  const TallAdviceFacts *facts = about->facts;
  double memstores = floor (facts->heap * MEMSTORE_SHARE / MEMSTORE_MIB) * facts->n_servers;
  return MAX (floor (memstores / count_tables (about)), 1);
}

/* From how many orders on there would be more regions than @n. */
static char *
describe_more_regions (const TallAdviceCase *about, double n, double by_size)
{
  if (n < by_size)
    return n < TALL_MAX_REGIONS
               ? g_strdup_printf ("more --servers or --heap: up to %.0f", by_size)
               : g_strdup ("nothing: init makes no more, and HBase splits regions that grow");
  return g_strdup_printf ("another --total, --servers or --heap: from %.3g orders on, size asks "
                          "for more",
                          n * REGION_BYTES / about->order_bytes);
}

static void
add_regions (GPtrArray *advice, const TallAdviceCase *about)
{
  const TallAdviceFacts *facts = about->facts;
  double bytes = about->order_bytes * facts->total;
  double by_size = MAX (ceil (bytes / REGION_BYTES), 1);
  double most = find_most_regions (about);
  double n = CLAMP (MAX (by_size, facts->n_servers), 1, MIN (most, TALL_MAX_REGIONS));
  const TallAdvice value = {
    .name = "regions", .option = "regions", .hbase = TRUE, .value = g_strdup_printf ("%.0f", n)
  };
  g_autofree char *few =
      by_size > most ? g_strdup_printf ("; these servers are too few: their regions will be "
                                        "larger than 10 GiB")
                     : g_strdup ("");
  tall_advice_add (
      advice, &value,
      g_strdup_printf (
          "%.3g orders of %.0f bytes on disk are %.3g GiB: %.0f of at most 10 GiB, and "
          "one a server (%u); memory for memstores (%u MiB each, 40 %% of %u MiB a "
          "server) is there for %.0f in each of %u tables%s",
          facts->total, about->order_bytes, bytes / GIB, by_size, facts->n_servers, MEMSTORE_MIB,
          facts->heap, most, count_tables (about), few),
      describe_more_regions (about, n, by_size));
}

/* A filter says that a file has no such row: it helps gets, of what is there and what is not. */
static void
add_bloom (GPtrArray *advice, const TallAdviceCase *about)
{
  double mib = about->shape->rows * about->facts->total * BITS_A_KEY / 8 / MIB;
  double wide = about->shape->cells * about->facts->total * BITS_A_KEY / 8 / MIB;
  const TallAdvice value = { .name = "bloom",
                             .option = "bloom",
                             .hbase = TRUE,
                             .value = g_strdup (about->gets ? "row" : "none") };
  tall_advice_add (
      advice, &value,
      about->gets
          ? g_strdup_printf ("%s, and a filter keeps them from files without the row; %.3g rows an "
                             "order with one error in 100 take %.3g MiB for all orders",
                             about->writes ? "stores look their root row up by its key"
                                           : "an order is fetched by the key of its row",
                             about->shape->rows, mib)
          : g_strdup_printf ("the mix scans, which no filter by row helps; it would take %.3g MiB",
                             mib),
      g_strdup_printf ("rowcol pays only where single columns are read, and takes %.3g MiB; "
                       "%s",
                       wide,
                       about->gets ? "a table of one file a region needs none"
                                   : "stores, or fetches of orders that are not there: row"));
}

static void
add_encoding (GPtrArray *advice, const TallAdviceCase *about)
{
  const TallShape *shape = about->shape;
  const TallAdvice value = { .name = "block-encoding",
                             .option = "block-encoding",
                             .hbase = TRUE,
                             .value = g_strdup (about->encode ? "fast_diff" : "none") };
  tall_advice_add (
      advice, &value,
      g_strdup_printf (
          "%.0f %% of the %.0f bytes of an order are keys of its %.3g cells; fast_diff "
          "leaves %.0f bytes, %.0f %%",
          shape->key_bytes * PERCENT / shape->bytes, shape->bytes, shape->cells, shape->encoded,
          shape->encoded * PERCENT / shape->bytes),
      g_strdup (about->encode
                    ? "processors that are busy while disk and cache have room: a read decodes a "
                      "block from its beginning"
                    : "shorter values or more cells, so that it leaves 80 % or less"));
}

static void
add_compression (GPtrArray *advice, const TallAdviceCase *about)
{
  const TallShape *shape = about->shape;
  const TallAdvice value = { .name = "compression",
                             .option = "compression",
                             .value = g_strdup (about->compress ? "snappy" : "none") };
  tall_advice_add (
      advice, &value,
      g_strdup_printf ("after encoding, GZ packs these orders to %.0f %%%s",
                       shape->packed * PERCENT / shape->encoded,
                       about->compress ? "; snappy packs less and costs much less time" : ""),
      g_strdup (about->compress
                    ? "orders that are hardly read any more: gz; a server without the native "
                      "library: gz, which every Java has"
                    : "texts instead of numbers that say little, or data that are not packed yet"));
}

static void
add_block_size (GPtrArray *advice, const TallAdviceCase *about)
{
  gsize largest = about->shape->largest_row;
  gboolean fits = largest <= BLOCK_BYTES;
  const TallAdvice value = { .name = "block-size",
                             .hbase = TRUE,
                             .value = g_strdup_printf ("%d", BLOCK_BYTES) };
  tall_advice_add (
      advice, &value,
      g_strdup_printf ("the largest row has %" G_GSIZE_FORMAT " bytes: %s", largest,
                       fits ? "a get reads one block, two at most"
                            : "a get of it reads several blocks; HBase cuts blocks between cells, "
                              "so a cell larger than a block is read whole"),
      g_strdup (fits ? "rows larger than a block"
                     : "no gets of parts of a row, which larger blocks slow down: the size of "
                       "most rows"));
}

static void
add_families (GPtrArray *advice, const TallAdviceCase *about)
{
  const TallAdvice value = { .name = "families", .hbase = TRUE, .value = g_strdup ("1") };
  tall_advice_add (
      advice, &value,
      g_strdup_printf ("an order is read and written as a whole; each further family would be "
                       "a memstore of up to %u MiB more for each region of %u tables, and all of a "
                       "region are flushed together",
                       MEMSTORE_MIB, count_tables (about)),
      g_strdup ("nothing in tallorder: its layouts have one"));
}

/**
 * tall_advice_add_tables:
 *
 * Adds how tables are to be kept.
 */
void
tall_advice_add_tables (GPtrArray *advice, const TallAdviceCase *about)
{
  add_regions (advice, about);
  add_bloom (advice, about);
  add_encoding (advice, about);
  add_compression (advice, about);
  add_block_size (advice, about);
  add_families (advice, about);
}
