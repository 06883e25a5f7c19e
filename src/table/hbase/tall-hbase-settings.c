/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-hbase-settings.h"

#include "tall-error.h"

typedef struct
{
  const char *name;
  gint value;
} Choice;

static const Choice compressions[] = {
  { "none", HB_T_COMPRESSION_ALGORITHM_NONE },     { "gz", HB_T_COMPRESSION_ALGORITHM_GZ },
  { "snappy", HB_T_COMPRESSION_ALGORITHM_SNAPPY }, { "lz4", HB_T_COMPRESSION_ALGORITHM_LZ4 },
  { "zstd", HB_T_COMPRESSION_ALGORITHM_ZSTD },     { "bzip2", HB_T_COMPRESSION_ALGORITHM_BZIP2 },
  { "lzo", HB_T_COMPRESSION_ALGORITHM_LZO },       { NULL, 0 },
};

static const Choice bloom_filters[] = {
  { "none", HB_T_BLOOM_FILTER_TYPE_NONE },
  { "row", HB_T_BLOOM_FILTER_TYPE_ROW },
  { "rowcol", HB_T_BLOOM_FILTER_TYPE_ROWCOL },
  { NULL, 0 },
};

static const Choice encodings[] = {
  { "none", HB_T_DATA_BLOCK_ENCODING_NONE },
  { "prefix", HB_T_DATA_BLOCK_ENCODING_PREFIX },
  { "diff", HB_T_DATA_BLOCK_ENCODING_DIFF },
  { "fast_diff", HB_T_DATA_BLOCK_ENCODING_FAST_DIFF },
  { "row_index_v1", HB_T_DATA_BLOCK_ENCODING_ROW_INDEX_V1 },
  { NULL, 0 },
};

/* NULL chooses no setting: *@set stays FALSE. */
static gboolean
choose (const Choice *choices,
        const char *what,
        const char *name,
        gint *value,
        gboolean *set,
        GError **error)
{
  if (name == NULL)
    return TRUE;

  g_autoptr (GString) known = g_string_new (NULL);
  for (const Choice *choice = choices; choice->name != NULL; choice++)
    {
      if (g_ascii_strcasecmp (choice->name, name) == 0)
        {
          *value = choice->value;
          *set = TRUE;
          return TRUE;
        }
      g_string_append_printf (known, "%s%s", known->len > 0 ? ", " : "", choice->name);
    }

  g_set_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED, "HBase has no %s \"%s\"; it has %s", what,
               name, known->str);
  return FALSE;
}

static char *
name_of (const Choice *choices, gint value)
{
  for (const Choice *choice = choices; choice->name != NULL; choice++)
    if (choice->value == value)
      return g_strdup (choice->name);
  return g_strdup_printf ("%d", value);
}

static gboolean
set_choices (HbTColumnFamilyDescriptor *family, const TallTableSpec *spec, GError **error)
{
  gint compression = 0, bloom_filter = 0, encoding = 0;
  if (!choose (compressions, "compression", spec->compression, &compression,
               &family->__isset_compressionType, error)
      || !choose (bloom_filters, "Bloom filter", spec->bloom_filter, &bloom_filter,
                  &family->__isset_bloomnFilterType, error)
      || !choose (encodings, "block encoding", spec->block_encoding, &encoding,
                  &family->__isset_dataBlockEncoding, error))
    return FALSE;

  family->compressionType = (HbTCompressionAlgorithm)compression;
  family->bloomnFilterType = (HbTBloomFilterType)bloom_filter;
  family->dataBlockEncoding = (HbTDataBlockEncoding)encoding;
  return TRUE;
}

static gboolean
set_ttl (HbTColumnFamilyDescriptor *family, guint64 ttl, GError **error)
{
  if (ttl >= G_MAXINT32)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED,
                   "HBase keeps cells for at most %d seconds; leave the TTL out to keep them for "
                   "ever",
                   G_MAXINT32 - 1);
      return FALSE;
    }
  family->timeToLive = ttl == 0 ? G_MAXINT32 : (gint32)ttl;
  family->__isset_timeToLive = TRUE;
  return TRUE;
}

/**
 * tall_hbase_settings_check:
 *
 * Returns: FALSE with %TALL_ERROR_UNSUPPORTED if HBase cannot keep what the spec asks for
 */
gboolean
tall_hbase_settings_check (const TallTableSpec *spec, GError **error)
{
  g_autoptr (HbTColumnFamilyDescriptor) family =
      g_object_new (HB_TYPE_T_COLUMN_FAMILY_DESCRIPTOR, NULL);
  return set_ttl (family, spec->ttl, error) && set_choices (family, spec, error);
}

/**
 * tall_hbase_settings_to_descriptor:
 *
 * Returns: (transfer full): what HBase is to create; NULL with %TALL_ERROR_UNSUPPORTED if it
 *   cannot keep what the spec asks for
 */
HbTTableDescriptor *
tall_hbase_settings_to_descriptor (const TallTableSpec *spec,
                                   const TallHbaseNames *names,
                                   GError **error)
{
  g_autoptr (HbTColumnFamilyDescriptor) family =
      g_object_new (HB_TYPE_T_COLUMN_FAMILY_DESCRIPTOR, NULL);
  family->name = tall_hbase_bytes (tall_slice_str (TALL_FAMILY));
  family->maxVersions = spec->max_versions == 0 || spec->max_versions > G_MAXINT32
                            ? G_MAXINT32
                            : (gint32)spec->max_versions;
  family->__isset_maxVersions = TRUE;
  family->keepDeletedCells = HB_T_KEEP_DELETED_CELLS_FALSE;
  family->__isset_keepDeletedCells = TRUE;
  if (!set_ttl (family, spec->ttl, error) || !set_choices (family, spec, error))
    return NULL;

  HbTTableDescriptor *descriptor = g_object_new (HB_TYPE_T_TABLE_DESCRIPTOR, NULL);
  g_clear_object (&descriptor->tableName);
  descriptor->tableName = tall_hbase_names_get_table_name (names, spec->name);
  g_ptr_array_add (descriptor->columns, g_steal_pointer (&family));
  descriptor->__isset_columns = TRUE;
  return descriptor;
}

static const HbTColumnFamilyDescriptor *
find_family (const HbTTableDescriptor *descriptor)
{
  for (guint i = 0; i < descriptor->columns->len; i++)
    {
      const HbTColumnFamilyDescriptor *family = g_ptr_array_index (descriptor->columns, i);
      if (tall_slice_equal (tall_slice_array (family->name), tall_slice_str (TALL_FAMILY)))
        return family;
    }
  return NULL;
}

/**
 * tall_hbase_settings_from_descriptor:
 * @table: its short name
 *
 * Returns: (transfer full): the settings without regions; NULL with %TALL_ERROR_UNSUPPORTED if the
 *   table does not have our family
 */
TallTableSpec *
tall_hbase_settings_from_descriptor (const HbTTableDescriptor *descriptor,
                                     const char *table,
                                     GError **error)
{
  const HbTColumnFamilyDescriptor *family = find_family (descriptor);
  if (family == NULL)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED,
                   "table %s has no column family \"" TALL_FAMILY "\"", table);
      return NULL;
    }

  TallTableSpec *spec = tall_table_spec_new (table);
  spec->max_versions = family->maxVersions == G_MAXINT32 ? 0 : (guint)family->maxVersions;
  spec->ttl = family->timeToLive == G_MAXINT32 ? 0 : (guint64)family->timeToLive;
  spec->compression = name_of (compressions, (gint)family->compressionType);
  spec->bloom_filter = name_of (bloom_filters, (gint)family->bloomnFilterType);
  spec->block_encoding = name_of (encodings, (gint)family->dataBlockEncoding);
  return spec;
}
