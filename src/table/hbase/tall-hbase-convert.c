/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-hbase-convert.h"

static GByteArray *
family (void)
{
  return tall_hbase_bytes (tall_slice_str (TALL_FAMILY));
}

static void
add_columns (GPtrArray *columns, const TallRead *read)
{
  for (guint i = 0; i < MAX (read->n_qualifiers, 1); i++)
    {
      HbTColumn *column = g_object_new (HB_TYPE_T_COLUMN, NULL);
      column->family = family ();
      if (i < read->n_qualifiers)
        {
          column->qualifier = tall_hbase_bytes (read->qualifiers[i]);
          column->__isset_qualifier = TRUE;
        }
      g_ptr_array_add (columns, column);
    }
}

/**
 * tall_hbase_read_has_time_range:
 *
 * Returns: whether not all timestamps are asked for
 */
gboolean
tall_hbase_read_has_time_range (const TallRead *read)
{
  return read->min_timestamp != 0 || read->max_timestamp != G_MAXINT64;
}

/**
 * tall_hbase_read_get_versions:
 *
 * Returns: how many versions of each cell to ask the gateway for
 */
gint32
tall_hbase_read_get_versions (const TallRead *read)
{
  return read->max_versions == 0 || read->max_versions > G_MAXINT32 ? G_MAXINT32
                                                                    : (gint32)read->max_versions;
}

/**
 * tall_hbase_scan_new:
 * @start: where to begin instead of at the beginning of @read
 * @n_rows: rows at most
 *
 * Returns: (transfer full): the scan for a page of @read
 */
HbTScan *
tall_hbase_scan_new (const TallRead *read, const GByteArray *start, guint n_rows)
{
  HbTScan *scan = g_object_new (HB_TYPE_T_SCAN, NULL);
  scan->startRow = tall_hbase_bytes (tall_slice_array (start));
  scan->__isset_startRow = TRUE;
  if (read->stop.len > 0)
    {
      scan->stopRow = tall_hbase_bytes (read->stop);
      scan->__isset_stopRow = TRUE;
    }
  add_columns (scan->columns, read);
  scan->__isset_columns = TRUE;
  scan->__isset_timeRange = tall_hbase_read_has_time_range (read);
  scan->timeRange->minStamp = read->min_timestamp;
  scan->timeRange->maxStamp = read->max_timestamp;
  scan->maxVersions = tall_hbase_read_get_versions (read);
  scan->__isset_maxVersions = TRUE;
  scan->limit = (gint32)n_rows;
  scan->__isset_limit = TRUE;
  return scan;
}

/**
 * tall_hbase_mutation_has:
 *
 * Returns: whether there is a change of that kind in a mutation
 */
gboolean
tall_hbase_mutation_has (const TallMutation *mutation, TallChangeKind kind)
{
  for (guint i = 0; i < mutation->n_changes; i++)
    if (mutation->changes[i].kind == kind)
      return TRUE;
  return FALSE;
}

/**
 * tall_hbase_put_new:
 *
 * Every write is synced: HBase's regions are on different servers with a log each, so a later
 * synced write at one does not make an unsynced one at another durable.
 *
 * Returns: (transfer full): the puts of a mutation
 */
HbTPut *
tall_hbase_put_new (const TallMutation *mutation)
{
  HbTPut *put = g_object_new (HB_TYPE_T_PUT, NULL);
  put->row = tall_hbase_bytes (mutation->row);
  put->durability = HB_T_DURABILITY_SYNC_WAL;
  put->__isset_durability = TRUE;

  for (guint i = 0; i < mutation->n_changes; i++)
    {
      const TallChange *change = &mutation->changes[i];
      if (change->kind != TALL_CHANGE_PUT)
        continue;
      HbTColumnValue *value = g_object_new (HB_TYPE_T_COLUMN_VALUE, NULL);
      value->family = family ();
      value->qualifier = tall_hbase_bytes (change->qualifier);
      value->value = tall_hbase_bytes (change->value);
      value->timestamp = change->timestamp;
      value->__isset_timestamp = TRUE;
      g_ptr_array_add (put->columnValues, value);
    }
  return put;
}

/**
 * tall_hbase_delete_new:
 *
 * Returns: (transfer full): the deletes of one kind of a mutation
 */
HbTDelete *
tall_hbase_delete_new (const TallMutation *mutation, TallChangeKind kind)
{
  HbTDelete *delete = g_object_new (HB_TYPE_T_DELETE, NULL);
  delete->row = tall_hbase_bytes (mutation->row);
  delete->deleteType = kind == TALL_CHANGE_DELETE_UP_TO ? HB_T_DELETE_TYPE_DELETE_FAMILY
                                                        : HB_T_DELETE_TYPE_DELETE_FAMILY_VERSION;
  delete->__isset_deleteType = TRUE;
  delete->durability = HB_T_DURABILITY_SYNC_WAL;
  delete->__isset_durability = TRUE;
  delete->__isset_columns = TRUE;

  for (guint i = 0; i < mutation->n_changes; i++)
    {
      const TallChange *change = &mutation->changes[i];
      if (change->kind != kind)
        continue;
      HbTColumn *column = g_object_new (HB_TYPE_T_COLUMN, NULL);
      column->family = family ();
      column->timestamp = change->timestamp;
      column->__isset_timestamp = TRUE;
      g_ptr_array_add (delete->columns, column);
    }
  return delete;
}

static void
add_delete (HbTRowMutations *mutations, const TallMutation *mutation, TallChangeKind kind)
{
  if (!tall_hbase_mutation_has (mutation, kind))
    return;

  HbTMutation *part = g_object_new (HB_TYPE_T_MUTATION, NULL);
  g_set_object (&part->deleteSingle, NULL);
  part->deleteSingle = tall_hbase_delete_new (mutation, kind);
  part->__isset_deleteSingle = TRUE;
  g_ptr_array_add (mutations->mutations, part);
}

/**
 * tall_hbase_row_mutations_new:
 *
 * Returns: (transfer full): a mutation as one atomic step
 */
HbTRowMutations *
tall_hbase_row_mutations_new (const TallMutation *mutation)
{
  HbTRowMutations *mutations = g_object_new (HB_TYPE_T_ROW_MUTATIONS, NULL);
  mutations->row = tall_hbase_bytes (mutation->row);

  add_delete (mutations, mutation, TALL_CHANGE_DELETE_UP_TO);
  add_delete (mutations, mutation, TALL_CHANGE_DELETE_AT);
  if (tall_hbase_mutation_has (mutation, TALL_CHANGE_PUT))
    {
      HbTMutation *part = g_object_new (HB_TYPE_T_MUTATION, NULL);
      g_set_object (&part->put, NULL);
      part->put = tall_hbase_put_new (mutation);
      part->__isset_put = TRUE;
      g_ptr_array_add (mutations->mutations, part);
    }
  return mutations;
}

/**
 * tall_hbase_increment_new:
 *
 * Returns: (transfer full): an increment of one cell, synced like every write
 */
HbTIncrement *
tall_hbase_increment_new (TallSlice row, TallSlice qualifier, gint64 delta)
{
  HbTIncrement *increment = g_object_new (HB_TYPE_T_INCREMENT, NULL);
  HbTColumnIncrement *column = g_object_new (HB_TYPE_T_COLUMN_INCREMENT, NULL);
  column->family = family ();
  column->qualifier = tall_hbase_bytes (qualifier);
  column->amount = delta;
  column->__isset_amount = TRUE;
  g_ptr_array_add (increment->columns, column);
  increment->row = tall_hbase_bytes (row);
  increment->durability = HB_T_DURABILITY_SYNC_WAL;
  increment->__isset_durability = TRUE;
  return increment;
}
