/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/record/deployment.h"
#include "tall-error.h"
#include "table/memory-table.h"
#include "table/table-kind.h"
#include "tall-test-orders.h"
#include "tall-test-store.h"
#include "tall-must.h"

/* Which tables a deployment has, how they are split, and which ones that are there are taken. */

#define N_ORDERS 10000
#define N_REGIONS 8

static gboolean
says (const char *message, const char *words)
{
  g_auto (GStrv) all = g_strsplit (words, " ", -1);
  for (guint i = 0; all[i] != NULL; i++)
    if (strstr (message, all[i]) == NULL)
      {
        g_test_message ("“%s” does not say “%s”", message, all[i]);
        return FALSE;
      }
  return TRUE;
}

static TallTableSpec *
find_spec (GPtrArray *specs, const char *name)
{
  for (guint i = 0; i < specs->len; i++)
    {
      TallTableSpec *spec = g_ptr_array_index (specs, i);
      if (g_str_equal (spec->name, name))
        return spec;
    }
  return NULL;
}

static TallStoreSettings
usual_settings (void)
{
  return (TallStoreSettings){ .layout = &tall_layout_blob,
                              .key_strategy = &tall_key_numeric,
                              .ttl = 86400,
                              .regions = 4,
                              .compression = "snappy",
                              .bloom_filter = "row",
                              .block_encoding = "fast_diff" };
}

static GPtrArray *
plan (const TallStoreSettings *settings)
{
  return must (tall_store_plan_tables (settings, &error));
}

static void
test_plan (void)
{
  TallStoreSettings settings = usual_settings ();
  g_autoptr (GPtrArray) specs = plan (&settings);
  g_assert_cmpuint (specs->len, ==, 5);
  const TallTableSpec *meta = find_spec (specs, "meta");
  const TallTableSpec *ids = find_spec (specs, "ids");
  const TallTableSpec *orders = find_spec (specs, "orders");
  const TallTableSpec *customers = find_spec (specs, "customers");
  const TallTableSpec *index = find_spec (specs, "index");
  g_assert_true (g_ptr_array_index (specs, 0) == meta);

  g_assert_cmpuint (meta->max_versions, ==, 1);
  g_assert_cmpuint (ids->max_versions, ==, 1);
  g_assert_cmpuint (orders->max_versions, ==, 0);
  g_assert_cmpuint (customers->max_versions, ==, 0);
  g_assert_cmpuint (orders->ttl, ==, 86400);
  g_assert_cmpuint (index->ttl, ==, 86400);
  g_assert_cmpuint (customers->ttl + ids->ttl + meta->ttl, ==, 0);
  g_assert_cmpuint (tall_table_spec_count_regions (meta), ==, 1);
  g_assert_cmpuint (tall_table_spec_count_regions (ids), ==, 1);
  g_assert_cmpuint (tall_table_spec_count_regions (orders), ==, 4);
  g_assert_cmpuint (tall_table_spec_count_regions (customers), ==, 4);
  g_assert_cmpuint (tall_table_spec_count_regions (index), ==, 4);
  g_assert_null (meta->compression);
  g_assert_cmpstr (orders->compression, ==, "snappy");
  g_assert_cmpstr (ids->block_encoding, ==, "fast_diff");
}

/* A table of record-type holds customers, too: it never expires. */
static void
test_plan_record_type (void)
{
  TallStoreSettings settings = usual_settings ();
  settings.layout = &tall_layout_record_type;
  settings.key_strategy = &tall_key_hashed;
  settings.index = TALL_INDEX_NONE;
  g_autoptr (GPtrArray) specs = plan (&settings);
  g_assert_cmpuint (specs->len, ==, 2);
  g_assert_cmpuint (find_spec (specs, "orders")->ttl, ==, 0);
}

static void
refuse_plan (const TallStoreSettings *settings, const char *words)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (tall_store_plan_tables (settings, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
  g_assert_true (says (error->message, words));
}

static void
test_plan_refused (void)
{
  TallStoreSettings settings = usual_settings ();
  settings.regions = TALL_MAX_REGIONS + 1;
  refuse_plan (&settings, "4097 4096");

  settings = usual_settings ();
  settings.compression = "gz'}; drop";
  refuse_plan (&settings, "compression gz'};");
  settings = usual_settings ();
  settings.bloom_filter = "";
  refuse_plan (&settings, "bloom_filter");
  settings = usual_settings ();
  settings.block_encoding = "fast-diff";
  refuse_plan (&settings, "block_encoding fast-diff");

  settings = usual_settings ();
  settings.key_strategy = &tall_key_raw;
  refuse_plan (&settings, "sample");
  static const char *const few[] = { "A", "B", "A", NULL };
  settings.sample = few;
  refuse_plan (&settings, "4 regions 2 different");
  static const char *const enough[] = { "A", "B", "C", "D", NULL };
  settings.sample = enough;
  g_autoptr (GPtrArray) specs = plan (&settings);
  g_assert_cmpuint (tall_table_spec_count_regions (find_spec (specs, "orders")), ==, 4);
}

static void
test_ddl (void)
{
  TallStoreSettings settings = usual_settings ();
  g_autoptr (GPtrArray) specs = plan (&settings);
  g_autofree char *meta = tall_table_spec_to_ddl (find_spec (specs, "meta"), "shop");
  g_assert_cmpstr (meta, ==, "create 'shop.meta', {NAME => 'd', VERSIONS => 1}");
  g_autofree char *orders = tall_table_spec_to_ddl (find_spec (specs, "orders"), "ns:shop");
  g_assert_cmpstr (orders, ==,
                   "create 'ns:shop.orders', {NAME => 'd', VERSIONS => 2147483647, TTL => 86400, "
                   "COMPRESSION => 'SNAPPY', BLOOMFILTER => 'ROW', DATA_BLOCK_ENCODING => "
                   "'FAST_DIFF'}, SPLITS => [\"\\x40\", \"\\x80\", \"\\xC0\"]");
}

/* Bytes that mean something in the shell, or are none of ASCII's, are escaped. */
static void
test_ddl_escapes (void)
{
  g_autoptr (TallTableSpec) spec = tall_table_spec_new ("orders");
  spec->splits = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  g_ptr_array_add (spec->splits, g_bytes_new_static ("\"#{a}\\\n\0\xff", 9));
  g_autofree char *ddl = tall_table_spec_to_ddl (spec, "shop");
  g_assert_true (
      g_str_has_suffix (ddl, "SPLITS => [\"\\x22\\x23\\x7Ba\\x7D\\x5C\\x0A\\x00\\xFF\"]"));
}

static gboolean
create_all (TallTable *table, GPtrArray *specs, GError **error)
{
  for (guint i = 0; i < specs->len; i++)
    if (!tall_table_create_table (table, g_ptr_array_index (specs, i), TALL_NO_DEADLINE, error))
      return FALSE;
  return TRUE;
}

/* What an administrator has made by the statements is taken. */
static void
test_adopt (void)
{
  g_autoptr (TallTable) table = tall_memory_table_new ();
  TallStoreSettings settings = usual_settings ();
  g_autoptr (GPtrArray) specs = plan (&settings);
  must (create_all (table, specs, &error));
  must (tall_store_create (table, &settings, &error));

  g_autoptr (TallDeployment) record = must (tall_deployment_read (table, TALL_NO_DEADLINE, &error));
  g_assert_cmpuint (record->regions, ==, 4);
  g_assert_cmpuint (record->ttl, ==, 86400);
  g_assert_cmpstr (record->compression, ==, "snappy");
  g_assert_cmpstr (record->bloom_filter, ==, "row");
  g_assert_cmpstr (record->block_encoding, ==, "fast_diff");
}

/* Without a word on regions and settings, tables are taken with those that they have. */
static void
test_adopt_any (void)
{
  g_autoptr (TallTable) table = tall_memory_table_new ();
  TallStoreSettings settings = usual_settings ();
  g_autoptr (GPtrArray) specs = plan (&settings);
  must (create_all (table, specs, &error));
  settings.regions = 0;
  settings.compression = settings.bloom_filter = settings.block_encoding = NULL;
  must (tall_store_create (table, &settings, &error));
}

typedef struct
{
  const char *name;
  void (*spoil) (TallTableSpec *spec);
  const char *words; /* of the message: the table, what it has and what is wanted */
} Difference;

static void
spoil_versions (TallTableSpec *spec)
{
  spec->max_versions = 3;
}

static void
spoil_ttl (TallTableSpec *spec)
{
  spec->ttl = 7;
}

static void
spoil_compression (TallTableSpec *spec)
{
  g_free (spec->compression);
  spec->compression = g_strdup ("gz");
}

static void
spoil_bloom_filter (TallTableSpec *spec)
{
  g_clear_pointer (&spec->bloom_filter, g_free);
}

static void
spoil_encoding (TallTableSpec *spec)
{
  g_free (spec->block_encoding);
  spec->block_encoding = g_strdup ("diff");
}

static void
spoil_number_of_regions (TallTableSpec *spec)
{
  g_clear_pointer (&spec->splits, g_ptr_array_unref);
}

static void
spoil_splits (TallTableSpec *spec)
{
  g_bytes_unref (g_ptr_array_index (spec->splits, 1));
  spec->splits->pdata[1] = g_bytes_new_static ("8", 1);
  /* ascending still: 38 */
  gpointer first = spec->splits->pdata[0];
  spec->splits->pdata[0] = spec->splits->pdata[1];
  spec->splits->pdata[1] = first;
}

static const Difference differences[] = {
  { "versions", spoil_versions, "orders versions 3 all" },
  { "ttl", spoil_ttl, "orders TTL 7 86400" },
  { "compression", spoil_compression, "orders compression gz snappy" },
  { "bloom-filter", spoil_bloom_filter, "orders Bloom default row" },
  { "block-encoding", spoil_encoding, "orders encoding diff fast_diff" },
  { "regions", spoil_number_of_regions, "orders regions 1 4" },
  { "splits", spoil_splits, "orders region 8 @" },
};

static void
test_refuse_to_adopt (gconstpointer data)
{
  const Difference *difference = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTable) table = tall_memory_table_new ();
  TallStoreSettings settings = usual_settings ();
  g_autoptr (GPtrArray) specs = plan (&settings);
  difference->spoil (find_spec (specs, "orders"));
  must (create_all (table, specs, &error));
  g_assert_false (tall_store_create (table, &settings, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_CONFLICT);
  g_assert_true (says (error->message, difference->words));

  /* Dropped as the message says, it is made as wanted. */
  g_clear_error (&error);
  must (tall_table_drop_table (table, "orders", TALL_NO_DEADLINE, &error));
  must (tall_store_create (table, &settings, &error));
}

static void
test_find_region (void)
{
  g_autoptr (TallTableSpec) spec = tall_table_spec_new ("orders");
  g_assert_cmpuint (tall_table_spec_find_region (spec, tall_slice_str ("x")), ==, 0);
  spec->splits = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  g_ptr_array_add (spec->splits, g_bytes_new_static ("b", 1));
  g_ptr_array_add (spec->splits, g_bytes_new_static ("bb", 2));
  g_ptr_array_add (spec->splits, g_bytes_new_static ("d", 1));
  const struct
  {
    const char *row;
    guint region;
  } cases[] = { { "a", 0 },  { "az", 0 }, { "b", 1 }, { "ba", 1 },
                { "bb", 2 }, { "c", 2 },  { "d", 3 }, { "zz", 3 } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpuint (tall_table_spec_find_region (spec, tall_slice_str (cases[i].row)), ==,
                      cases[i].region);
}

static void
store_orders (TallStore *store)
{
  g_autoptr (GPtrArray) orders = g_ptr_array_new_with_free_func ((GDestroyNotify)tall_order_free);
  g_autofree TallOutcome *outcomes = g_new0 (TallOutcome, TALL_MAX_MANY);
  for (guint i = 0; i < N_ORDERS; i++)
    {
      char customer[16], number[16];
      g_snprintf (customer, sizeof customer, "%06u", 100000 + i / 5);
      g_snprintf (number, sizeof number, "%u", i);
      g_ptr_array_add (orders, tall_test_order_with_lines (customer, number, 1));
      if (orders->len < TALL_MAX_MANY)
        continue;
      must (tall_front_put_orders (TALL_FRONT (store), (TallOrder *const *)orders->pdata, NULL,
                                   TALL_MAX_MANY, outcomes, &error));
      for (guint j = 0; j < TALL_MAX_MANY; j++)
        g_assert_no_error (outcomes[j].error);
      g_ptr_array_set_size (orders, 0);
    }
}

/* Sequential customers with five orders each: no region of a table of orders is out of reach, and
 * none has more than twice its share. */
static void
test_spread (gconstpointer data)
{
  const TallKeyStrategy *strategy = data;
  g_autoptr (TallTable) table = tall_memory_table_new ();
  TallStoreSettings settings = { .layout = &tall_layout_blob,
                                 .key_strategy = strategy,
                                 .regions = N_REGIONS };
  must (tall_store_create (table, &settings, &error));
  g_autoptr (TallStore) store = tall_test_open (table, NULL);
  store_orders (store);

  g_autoptr (TallTableSpec) spec =
      must (tall_table_describe_table (table, "orders", TALL_NO_DEADLINE, &error));
  g_assert_cmpuint (tall_table_spec_count_regions (spec), ==, N_REGIONS);
  g_autoptr (TallReadPlan) scan = tall_read_plan_new ();
  tall_read_plan_add_scan (scan, "orders", tall_slice (NULL, 0), tall_slice (NULL, 0));
  g_autoptr (TallReadResult) result =
      must (tall_table_read (table, scan, TALL_NO_DEADLINE, &error));
  g_assert_cmpuint (result->results[0].n_rows, ==, N_ORDERS);
  guint in_region[N_REGIONS] = { 0 };
  for (guint i = 0; i < N_ORDERS; i++)
    in_region[tall_table_spec_find_region (spec, result->results[0].rows[i].key)]++;
  for (guint i = 0; i < N_REGIONS; i++)
    {
      g_assert_cmpuint (in_region[i], >, 0);
      g_assert_cmpuint (in_region[i], <=, 2 * N_ORDERS / N_REGIONS);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tables/plan", test_plan);
  g_test_add_func ("/tables/plan-record-type", test_plan_record_type);
  g_test_add_func ("/tables/plan-refused", test_plan_refused);
  g_test_add_func ("/tables/ddl", test_ddl);
  g_test_add_func ("/tables/ddl-escapes", test_ddl_escapes);
  g_test_add_func ("/tables/find-region", test_find_region);
  g_test_add_func ("/tables/adopt", test_adopt);
  g_test_add_func ("/tables/adopt-any", test_adopt_any);
  for (guint i = 0; i < G_N_ELEMENTS (differences); i++)
    {
      g_autofree char *path = g_strconcat ("/tables/refuse/", differences[i].name, NULL);
      g_test_add_data_func (path, &differences[i], test_refuse_to_adopt);
    }
  guint n;
  const TallKeyStrategy *const *strategies = tall_key_strategies (&n);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *path = g_strconcat ("/tables/spread/", strategies[i]->name, NULL);
      if (strategies[i] != &tall_key_raw)
        g_test_add_data_func (path, strategies[i], test_spread);
    }
  return g_test_run ();
}
