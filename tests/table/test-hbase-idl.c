/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "hb_gateway.h"
#include "table/hbase/convert.h"
#include "table/hbase/reply.h"
#include "tall-thrift.h"
#include "tall-must.h"

/* Each call is, byte for byte, what the generated function sends; gets have a test of their own. */

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HbGatewayClient, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HbTPut, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HbTDelete, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HbTIncrement, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HbTMutation, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HbTRowMutations, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HbTScan, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HbTTableName, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HbTTableDescriptor, g_object_unref)

#define TABLE "ns:shop.orders"

/* What both sides send: the same things, each in its own form. */
typedef struct
{
  TallArena *arena;
  TallBatch *batch;
  TallMutation *puts;
  TallMutation *deletes; /* at two timestamps */
  TallMutation *mixed;
  GByteArray *table;
  TallHbaseArgs args;
} Fixture;

static GByteArray *
bytes_new (TallSlice slice)
{
  GByteArray *array = g_byte_array_new ();
  tall_bytes_append (array, slice);
  return array;
}

static GByteArray *
text_bytes (const char *text)
{
  return bytes_new (tall_slice_str (text));
}

static void
set_up (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  f->arena = tall_arena_new (0);
  f->batch = tall_batch_new ();
  f->table = text_bytes (TABLE);
  f->args.table = tall_slice_array (f->table);

  f->puts = tall_batch_add (f->batch, "orders", tall_slice_str ("row"));
  tall_mutation_put (f->batch, f->puts, tall_slice_str ("a"), 12, tall_slice_str ("x"));
  tall_mutation_put (f->batch, f->puts, tall_slice_str (""), 1700000000000, tall_slice_str (""));
  f->deletes = tall_batch_add (f->batch, "orders", tall_slice_str ("row"));
  tall_mutation_delete_at (f->batch, f->deletes, 9);
  tall_mutation_delete_at (f->batch, f->deletes, 11);
  f->mixed = tall_batch_add (f->batch, "orders", tall_slice_str ("row"));
  tall_mutation_put (f->batch, f->mixed, tall_slice_str ("a"), 12, tall_slice_str ("x"));
  tall_mutation_delete_up_to (f->batch, f->mixed, 7);
}

static void
tear_down (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_byte_array_unref (f->table);
  tall_batch_free (f->batch);
  tall_arena_free (f->arena);
}

typedef gboolean (*Send) (Fixture *f, HbGatewayIf *client, GError **error);

static TallTransport *
transport_new (gboolean compact)
{
  TallWireOptions wire = TALL_WIRE_OPTIONS_INIT;
  wire.compact = compact;
  return tall_transport_new_memory ((TallSlice)TALL_SLICE_INIT, &wire);
}

/* Generated clients number every call 0, and ours the first one 1. */
static void
set_number (TallSlice message, gboolean compact, const char *name)
{
  gsize at = compact ? 2 : 4 + 4 + strlen (name) + 3;
  g_assert_cmpint (message.data[at], ==, 0);
  ((guint8 *)message.data)[at] = 1;
}

static void
expect_same (Fixture *f, TallHbaseMethodId method, Send send)
{
  for (guint compact = 0; compact < 2; compact++)
    {
      g_autoptr (TallTransport) ours = transport_new (compact);
      g_autoptr (TallTransport) theirs = transport_new (compact);
      g_autoptr (ThriftProtocol) protocol = tall_thrift_protocol_new (theirs, compact);
      g_autoptr (HbGatewayClient) client =
          g_object_new (HB_TYPE_GATEWAY_CLIENT, "input_protocol", protocol, "output_protocol",
                        protocol, NULL);

      must (tall_hbase_send (ours, method, &f->args, &error));
      must (send (f, HB_GATEWAY_IF (client), &error));
      TallSlice sent = tall_transport_get_output (ours);
      TallSlice due = tall_transport_get_output (theirs);
      set_number (due, compact, tall_hbase_methods[method].name);
      g_assert_cmpmem (sent.data, sent.len, due.data, due.len);
    }
}

static HbTPut *
put_new (const TallMutation *mutation)
{
  HbTPut *put = g_object_new (HB_TYPE_T_PUT, NULL);
  put->row = bytes_new (mutation->row);
  put->durability = HB_T_DURABILITY_SYNC_WAL;
  put->__isset_durability = TRUE;
  for (guint i = 0; i < mutation->n_changes; i++)
    {
      const TallChange *change = &mutation->changes[i];
      if (change->kind != TALL_CHANGE_PUT)
        continue;
      HbTColumnValue *value = g_object_new (HB_TYPE_T_COLUMN_VALUE, NULL);
      value->family = text_bytes ("d");
      value->qualifier = bytes_new (change->qualifier);
      value->value = bytes_new (change->value);
      value->timestamp = change->timestamp;
      value->__isset_timestamp = TRUE;
      g_ptr_array_add (put->columnValues, value);
    }
  return put;
}

static HbTDelete *
delete_new (const TallMutation *mutation, TallChangeKind kind)
{
  HbTDelete *delete = g_object_new (HB_TYPE_T_DELETE, NULL);
  delete->row = bytes_new (mutation->row);
  delete->deleteType = kind == TALL_CHANGE_DELETE_UP_TO ? HB_T_DELETE_TYPE_DELETE_FAMILY
                                                        : HB_T_DELETE_TYPE_DELETE_FAMILY_VERSION;
  delete->__isset_deleteType = TRUE;
  delete->durability = HB_T_DURABILITY_SYNC_WAL;
  delete->__isset_durability = TRUE;
  delete->__isset_columns = TRUE;
  for (guint i = 0; i < mutation->n_changes; i++)
    {
      if (mutation->changes[i].kind != kind)
        continue;
      HbTColumn *column = g_object_new (HB_TYPE_T_COLUMN, NULL);
      column->family = text_bytes ("d");
      column->timestamp = mutation->changes[i].timestamp;
      column->__isset_timestamp = TRUE;
      g_ptr_array_add (delete->columns, column);
    }
  return delete;
}

static HbTRowMutations *
mixed_new (const TallMutation *mutation)
{
  HbTRowMutations *mutations = g_object_new (HB_TYPE_T_ROW_MUTATIONS, NULL);
  HbTMutation *first = g_object_new (HB_TYPE_T_MUTATION, NULL);
  HbTMutation *second = g_object_new (HB_TYPE_T_MUTATION, NULL);
  mutations->row = bytes_new (mutation->row);
  g_set_object (&first->deleteSingle, NULL);
  first->deleteSingle = delete_new (mutation, TALL_CHANGE_DELETE_UP_TO);
  first->__isset_deleteSingle = TRUE;
  g_set_object (&second->put, NULL);
  second->put = put_new (mutation);
  second->__isset_put = TRUE;
  g_ptr_array_add (mutations->mutations, first);
  g_ptr_array_add (mutations->mutations, second);
  return mutations;
}

static gboolean
send_puts (Fixture *f, HbGatewayIf *client, GError **error)
{
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func (g_object_unref);
  g_ptr_array_add (list, put_new (f->puts));
  g_ptr_array_add (list, put_new (f->puts));
  return hb_gateway_client_send_put_multiple (client, f->table, list, error);
}

static gboolean
send_deletes (Fixture *f, HbGatewayIf *client, GError **error)
{
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func (g_object_unref);
  g_ptr_array_add (list, delete_new (f->deletes, TALL_CHANGE_DELETE_AT));
  return hb_gateway_client_send_delete_multiple (client, f->table, list, error);
}

static gboolean
send_mixed (Fixture *f, HbGatewayIf *client, GError **error)
{
  g_autoptr (HbTRowMutations) mutations = mixed_new (f->mixed);
  return hb_gateway_client_send_mutate_row (client, f->table, mutations, error);
}

static gboolean
send_conditional (Fixture *f, HbGatewayIf *client, GError **error)
{
  g_autoptr (HbTRowMutations) mutations = mixed_new (f->mixed);
  g_autoptr (GByteArray) row = text_bytes ("row");
  g_autoptr (GByteArray) family = text_bytes ("d");
  g_autoptr (GByteArray) qualifier = text_bytes ("s");
  g_autoptr (GByteArray) value = text_bytes ("");
  return hb_gateway_client_send_check_and_mutate (client, f->table, row, family, qualifier,
                                                  HB_T_COMPARE_OP_EQUAL, value, mutations, error);
}

static gboolean
send_conditional_put (Fixture *f, HbGatewayIf *client, GError **error)
{
  g_autoptr (HbTPut) put = put_new (f->puts);
  g_autoptr (GByteArray) row = text_bytes ("row");
  g_autoptr (GByteArray) family = text_bytes ("d");
  g_autoptr (GByteArray) qualifier = text_bytes ("s");
  g_autoptr (GByteArray) value = text_bytes ("");
  return hb_gateway_client_send_check_and_put (client, f->table, row, family, qualifier, value, put,
                                               error);
}

static gboolean
send_increment (Fixture *f, HbGatewayIf *client, GError **error)
{
  g_autoptr (HbTIncrement) increment = g_object_new (HB_TYPE_T_INCREMENT, NULL);
  HbTColumnIncrement *column = g_object_new (HB_TYPE_T_COLUMN_INCREMENT, NULL);
  column->family = text_bytes ("d");
  column->qualifier = text_bytes ("c");
  column->amount = -3;
  column->__isset_amount = TRUE;
  g_ptr_array_add (increment->columns, column);
  increment->row = text_bytes ("row");
  increment->durability = HB_T_DURABILITY_SYNC_WAL;
  increment->__isset_durability = TRUE;
  return hb_gateway_client_send_increment (client, f->table, increment, error);
}

static void
test_writes (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  TallHbaseTPut puts[2];
  TallHbaseTDelete delete;
  for (guint i = 0; i < 2; i++)
    tall_hbase_t_put_init (&puts[i], f->puts, f->arena);
  f->args.puts = puts;
  f->args.n_puts = 2;
  expect_same (f, TALL_HBASE_PUT_MULTIPLE, send_puts);

  tall_hbase_t_delete_init (&delete, f->deletes, TALL_CHANGE_DELETE_AT, f->arena);
  f->args.deletes = &delete;
  f->args.n_deletes = 1;
  expect_same (f, TALL_HBASE_DELETE_MULTIPLE, send_deletes);

  f->args.mutations = tall_hbase_t_row_mutations_new (f->mixed, f->arena);
  expect_same (f, TALL_HBASE_MUTATE_ROW, send_mixed);

  f->args.row = tall_slice_str ("row");
  f->args.family = tall_slice_str ("d");
  f->args.qualifier = tall_slice_str ("s");
  f->args.compare_op = TALL_HBASE_EQUAL; /* the empty value is sent, too */
  expect_same (f, TALL_HBASE_CHECK_AND_MUTATE, send_conditional);
  expect_same (f, TALL_HBASE_CHECK_AND_PUT, send_conditional_put);

  f->args.increment =
      tall_hbase_t_increment_new (tall_slice_str ("row"), tall_slice_str ("c"), -3, f->arena);
  expect_same (f, TALL_HBASE_INCREMENT, send_increment);
}

static gboolean
send_scan (Fixture *f, HbGatewayIf *client, GError **error)
{
  g_autoptr (HbTScan) scan = g_object_new (HB_TYPE_T_SCAN, NULL);
  HbTColumn *column = g_object_new (HB_TYPE_T_COLUMN, NULL);
  column->family = text_bytes ("d");
  column->qualifier = text_bytes ("c");
  column->__isset_qualifier = TRUE;
  g_ptr_array_add (scan->columns, column);
  scan->__isset_columns = TRUE;
  scan->startRow = text_bytes ("");
  scan->__isset_startRow = TRUE;
  scan->stopRow = text_bytes ("stop");
  scan->__isset_stopRow = TRUE;
  scan->timeRange->minStamp = 5;
  scan->timeRange->maxStamp = 100;
  scan->__isset_timeRange = TRUE;
  scan->maxVersions = 3;
  scan->__isset_maxVersions = TRUE;
  scan->limit = 256;
  scan->__isset_limit = TRUE;
  return hb_gateway_client_send_get_scanner_results (client, f->table, scan, 256, error);
}

static gboolean
send_server_type (Fixture *f G_GNUC_UNUSED, HbGatewayIf *client, GError **error)
{
  return hb_gateway_client_send_get_thrift_server_type (client, error);
}

static void
test_reads (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  TallSlice qualifier = tall_slice_str ("c");
  const TallRead read = { .kind = TALL_READ_SCAN,
                          .stop = tall_slice_str ("stop"),
                          .max_versions = 3,
                          .min_timestamp = 5,
                          .max_timestamp = 100,
                          .qualifiers = &qualifier,
                          .n_qualifiers = 1 };
  TallHbaseTScan scan;
  tall_hbase_t_scan_init (&scan, &read, (TallSlice)TALL_SLICE_INIT, 256, f->arena);
  f->args.scan = &scan;
  f->args.n_rows = 256;
  expect_same (f, TALL_HBASE_GET_SCANNER_RESULTS, send_scan);
  expect_same (f, TALL_HBASE_GET_THRIFT_SERVER_TYPE, send_server_type);
}

static HbTTableName *
name_new (void)
{
  HbTTableName *name = g_object_new (HB_TYPE_T_TABLE_NAME, NULL);
  name->ns = text_bytes ("ns");
  name->__isset_ns = TRUE;
  name->qualifier = text_bytes ("shop.orders");
  return name;
}

static gboolean
send_create (Fixture *f G_GNUC_UNUSED, HbGatewayIf *client, GError **error)
{
  g_autoptr (HbTTableDescriptor) descriptor = g_object_new (HB_TYPE_T_TABLE_DESCRIPTOR, NULL);
  g_autoptr (GPtrArray) splits =
      g_ptr_array_new_with_free_func ((GDestroyNotify)g_byte_array_unref);
  HbTColumnFamilyDescriptor *family = g_object_new (HB_TYPE_T_COLUMN_FAMILY_DESCRIPTOR, NULL);
  family->name = text_bytes ("d");
  family->maxVersions = G_MAXINT32;
  family->__isset_maxVersions = TRUE;
  family->keepDeletedCells = HB_T_KEEP_DELETED_CELLS_FALSE;
  family->__isset_keepDeletedCells = TRUE;
  family->timeToLive = 3600;
  family->__isset_timeToLive = TRUE;
  family->compressionType = HB_T_COMPRESSION_ALGORITHM_ZSTD;
  family->__isset_compressionType = TRUE;
  family->bloomnFilterType = HB_T_BLOOM_FILTER_TYPE_ROWCOL;
  family->__isset_bloomnFilterType = TRUE;
  family->dataBlockEncoding = HB_T_DATA_BLOCK_ENCODING_FAST_DIFF;
  family->__isset_dataBlockEncoding = TRUE;
  g_ptr_array_add (descriptor->columns, family);
  descriptor->__isset_columns = TRUE;
  g_clear_object (&descriptor->tableName);
  descriptor->tableName = name_new ();
  g_ptr_array_add (splits, text_bytes ("b"));
  g_ptr_array_add (splits, text_bytes ("c"));
  return hb_gateway_client_send_create_table (client, descriptor, splits, error);
}

#define SEND_NAME(function)                                                                        \
  static gboolean send_##function (Fixture *f G_GNUC_UNUSED, HbGatewayIf *client, GError **error)  \
  {                                                                                                \
    g_autoptr (HbTTableName) name = name_new ();                                                   \
    return hb_gateway_client_send_##function (client, name, error);                                \
  }
SEND_NAME (table_exists)
SEND_NAME (is_table_enabled)
SEND_NAME (is_table_disabled)
SEND_NAME (enable_table)
SEND_NAME (disable_table)
SEND_NAME (delete_table)
SEND_NAME (get_table_descriptor)

static gboolean
send_names (Fixture *f G_GNUC_UNUSED, HbGatewayIf *client, GError **error)
{
  return hb_gateway_client_send_get_table_names_by_pattern (client, "ns:shop\\..*", FALSE, error);
}

static gboolean
send_regions (Fixture *f, HbGatewayIf *client, GError **error)
{
  return hb_gateway_client_send_get_all_region_locations (client, f->table, error);
}

static void
test_tables (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_auto (TallHbaseNames) names = { 0 };
  TallSlice splits[] = { tall_slice_str ("b"), tall_slice_str ("c") };
  TallHbaseTColumnFamilyDescriptor family = {
    .name = tall_slice_str ("d"),
    .max_versions = G_MAXINT32,
    .time_to_live = 3600,
    .compression_type = TALL_HBASE_COMPRESSION_ZSTD,
    .has_compression_type = TRUE,
    .bloom_filter_type = TALL_HBASE_BLOOM_ROWCOL,
    .has_bloom_filter_type = TRUE,
    .data_block_encoding = TALL_HBASE_ENCODING_FAST_DIFF,
    .has_data_block_encoding = TRUE,
  };
  g_assert_true (tall_hbase_names_init (&names, "ns:shop", NULL));
  TallHbaseTTableName *name = tall_hbase_names_get_table_name (&names, "orders", f->arena);
  TallHbaseTTableDescriptor descriptor = { name, &family, 1 };
  f->args.name = name;
  f->args.descriptor = &descriptor;
  f->args.splits = splits;
  f->args.n_splits = 2;
  f->args.pattern = "ns:shop\\..*";

  expect_same (f, TALL_HBASE_CREATE_TABLE, send_create);
  expect_same (f, TALL_HBASE_TABLE_EXISTS, send_table_exists);
  expect_same (f, TALL_HBASE_IS_TABLE_ENABLED, send_is_table_enabled);
  expect_same (f, TALL_HBASE_IS_TABLE_DISABLED, send_is_table_disabled);
  expect_same (f, TALL_HBASE_ENABLE_TABLE, send_enable_table);
  expect_same (f, TALL_HBASE_DISABLE_TABLE, send_disable_table);
  expect_same (f, TALL_HBASE_DELETE_TABLE, send_delete_table);
  expect_same (f, TALL_HBASE_GET_TABLE_DESCRIPTOR, send_get_table_descriptor);
  expect_same (f, TALL_HBASE_GET_TABLE_NAMES_BY_PATTERN, send_names);
  expect_same (f, TALL_HBASE_GET_ALL_REGION_LOCATIONS, send_regions);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/table/hbase/idl/writes", Fixture, NULL, set_up, test_writes, tear_down);
  g_test_add ("/table/hbase/idl/reads", Fixture, NULL, set_up, test_reads, tear_down);
  g_test_add ("/table/hbase/idl/tables", Fixture, NULL, set_up, test_tables, tear_down);
  return g_test_run ();
}
