/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/settings.h"

#include "tall-error.h"

typedef struct
{
  const char *name;
  gint value;
} Choice;

static const Choice compressions[] = {
  { "none", TALL_HBASE_COMPRESSION_NONE },     { "gz", TALL_HBASE_COMPRESSION_GZ },
  { "snappy", TALL_HBASE_COMPRESSION_SNAPPY }, { "lz4", TALL_HBASE_COMPRESSION_LZ4 },
  { "zstd", TALL_HBASE_COMPRESSION_ZSTD },     { "bzip2", TALL_HBASE_COMPRESSION_BZIP2 },
  { "lzo", TALL_HBASE_COMPRESSION_LZO },       { NULL, 0 },
};

static const Choice bloom_filters[] = {
  { "none", TALL_HBASE_BLOOM_NONE },
  { "row", TALL_HBASE_BLOOM_ROW },
  { "rowcol", TALL_HBASE_BLOOM_ROWCOL },
  { NULL, 0 },
};

static const Choice encodings[] = {
  { "none", TALL_HBASE_ENCODING_NONE },
  { "prefix", TALL_HBASE_ENCODING_PREFIX },
  { "diff", TALL_HBASE_ENCODING_DIFF },
  { "fast_diff", TALL_HBASE_ENCODING_FAST_DIFF },
  { "row_index_v1", TALL_HBASE_ENCODING_ROW_INDEX_V1 },
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
set_choices (TallHbaseTColumnFamilyDescriptor *family, const TallTableSpec *spec, GError **error)
{
  return choose (compressions, "compression", spec->compression, &family->compression_type,
                 &family->has_compression_type, error)
         && choose (bloom_filters, "Bloom filter", spec->bloom_filter, &family->bloom_filter_type,
                    &family->has_bloom_filter_type, error)
         && choose (encodings, "block encoding", spec->block_encoding, &family->data_block_encoding,
                    &family->has_data_block_encoding, error);
}

static gboolean
set_ttl (TallHbaseTColumnFamilyDescriptor *family, guint64 ttl, GError **error)
{
  if (ttl >= G_MAXINT32)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED,
                   "HBase keeps cells for at most %d seconds; leave the TTL out to keep them for "
                   "ever",
                   G_MAXINT32 - 1);
      return FALSE;
    }
  family->time_to_live = ttl == 0 ? G_MAXINT32 : (gint32)ttl;
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
  TallHbaseTColumnFamilyDescriptor family;
  return tall_hbase_settings_to_family (spec, &family, error);
}

/**
 * tall_hbase_settings_to_family:
 * @family: (out): what HBase is to create
 *
 * Returns: FALSE with %TALL_ERROR_UNSUPPORTED if HBase cannot keep what the spec asks for
 */
gboolean
tall_hbase_settings_to_family (const TallTableSpec *spec,
                               TallHbaseTColumnFamilyDescriptor *family,
                               GError **error)
{
  *family = (TallHbaseTColumnFamilyDescriptor){
    .name = tall_slice_str (TALL_FAMILY),
    .max_versions = spec->max_versions == 0 || spec->max_versions > G_MAXINT32
                        ? G_MAXINT32
                        : (gint32)spec->max_versions,
    .keep_deleted_cells = TALL_HBASE_KEEP_DELETED_FALSE,
  };
  return set_ttl (family, spec->ttl, error) && set_choices (family, spec, error);
}

static const TallHbaseTColumnFamilyDescriptor *
find_family (const GArray *families)
{
  for (guint i = 0; i < families->len; i++)
    {
      const TallHbaseTColumnFamilyDescriptor *family =
          &g_array_index (families, TallHbaseTColumnFamilyDescriptor, i);
      if (tall_slice_equal (family->name, tall_slice_str (TALL_FAMILY)))
        return family;
    }
  return NULL;
}

/**
 * tall_hbase_settings_from_families:
 * @families: of TallHbaseTColumnFamilyDescriptor
 * @table: its short name
 *
 * Returns: (transfer full): the settings without regions; NULL with %TALL_ERROR_UNSUPPORTED if the
 *   table does not have our family
 */
TallTableSpec *
tall_hbase_settings_from_families (const GArray *families, const char *table, GError **error)
{
  const TallHbaseTColumnFamilyDescriptor *family = find_family (families);
  if (family == NULL)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED,
                   "table %s has no column family \"" TALL_FAMILY "\"", table);
      return NULL;
    }

  TallTableSpec *spec = tall_table_spec_new (table);
  spec->max_versions = family->max_versions == G_MAXINT32 ? 0 : (guint)family->max_versions;
  spec->ttl = family->time_to_live == G_MAXINT32 ? 0 : (guint64)family->time_to_live;
  spec->compression = name_of (compressions, family->compression_type);
  spec->bloom_filter = name_of (bloom_filters, family->bloom_filter_type);
  spec->block_encoding = name_of (encodings, family->data_block_encoding);
  return spec;
}
