/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-fake-table.h"
#include "table/hbase/access.h"
#include "tall-must.h"

/* Descriptors as Thrift's own library writes them, in both protocols. */
#define COMPACT (GPOINTER_TO_INT (data))

typedef struct
{
  TallArena *arena;
  TallTransport *transport; /* has the bytes */
  TallHbaseDescriptor descriptor;
} Fixture;

/* Fills in the attributes: "key=value key=value"; NULL: the descriptor has no such field. */
static void
fixture_init (Fixture *self, const char *attributes, gboolean compact)
{
  TallWireOptions options = TALL_WIRE_OPTIONS_INIT;
  options.framed = FALSE;
  options.compact = compact;
  TallFakeTable table = { .disabled = FALSE };
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  g_auto (GStrv) texts = g_strsplit_set (attributes == NULL ? "" : attributes, " =", -1);
  for (guint i = 0; texts[i] != NULL; i++)
    g_ptr_array_add (parts, g_bytes_new (texts[i], strlen (texts[i])));
  if (attributes != NULL)
    tall_fake_table_set_attributes (&table, parts);

  self->arena = tall_arena_new (0);
  self->transport = tall_transport_new_memory ((TallSlice)TALL_SLICE_INIT, &options);
  g_autoptr (ThriftProtocol) protocol = tall_thrift_protocol_new (self->transport, compact);
  tall_fake_table_write (&table, protocol);
  tall_fake_table_clear (&table);
  must (tall_hbase_descriptor_init (&self->descriptor, tall_transport_get_output (self->transport),
                                    compact, self->arena, &error));
}

static void
fixture_clear (Fixture *self)
{
  tall_hbase_descriptor_clear (&self->descriptor);
  g_object_unref (self->transport);
  tall_arena_free (self->arena);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Fixture, fixture_clear)

static char *
attributes_of (const TallHbaseDescriptor *descriptor)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < descriptor->n_attributes; i++)
    {
      const TallHbaseAttribute *attribute = &descriptor->attributes[i];
      g_autofree char *key = tall_slice_to_debug (attribute->key);
      g_autofree char *value = tall_slice_to_debug (attribute->value);
      g_string_append_printf (text, "%s%s=%s", i == 0 ? "" : " ", key, value);
    }
  return g_string_free (text, FALSE);
}

static const struct
{
  const char *before;
  const char *seal;
  const char *after;
} changes[] = {
  { NULL, NULL, "" },
  { NULL, "t-1", "READONLY=true TALLORDER_SEAL=t-1" },
  { "A=1 B=2", "t-1", "A=1 B=2 READONLY=true TALLORDER_SEAL=t-1" },
  { "A=1 READONLY=true B=2 TALLORDER_SEAL=t-0", "t-1", "A=1 B=2 READONLY=true TALLORDER_SEAL=t-1" },
  { "TALLORDER_SEAL=t-0 A=1 READONLY=true", NULL, "A=1" },
  { "READONLY=false A=1", NULL, "A=1" },
  { "READONLY=true", NULL, "" },
};

/* All bytes around the attributes are the same, and so are the other attributes. */
static void
test_change (gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++)
    {
      g_auto (Fixture) f;
      g_auto (TallHbaseDescriptor) changed = { .families = NULL };
      fixture_init (&f, changes[i].before, COMPACT);
      const TallHbaseDescriptor *came = &f.descriptor;
      g_autoptr (GByteArray) raw = tall_hbase_descriptor_with_seal (came, changes[i].seal);
      must (
          tall_hbase_descriptor_init (&changed, tall_slice_array (raw), COMPACT, f.arena, &error));
      g_autofree char *attributes = attributes_of (&changed);
      g_assert_cmpstr (attributes, ==, changes[i].after);
      g_autofree char *seal = tall_hbase_descriptor_get_seal (&changed);
      g_assert_cmpstr (seal, ==, changes[i].seal);
      g_assert_true (tall_hbase_descriptor_is_read_only (&changed) == (changes[i].seal != NULL));
      g_assert_cmpmem (changed.raw.data, changed.start, came->raw.data, came->start);
      g_assert_cmpmem (changed.raw.data + changed.end, changed.raw.len - changed.end,
                       came->raw.data + came->end, came->raw.len - came->end);
      g_assert_cmpuint (came->raw.len - came->end, >, 0);
      g_assert_cmpuint (changed.families->len, ==, 1);
    }
}

/* Binary: as if Thrift's library had written the attributes so. */
static void
test_same_bytes (void)
{
  g_auto (Fixture) before, after;
  fixture_init (&before, "A=1 READONLY=false B=2", FALSE);
  fixture_init (&after, "A=1 B=2 READONLY=true TALLORDER_SEAL=t", FALSE);
  g_autoptr (GByteArray) raw = tall_hbase_descriptor_with_seal (&before.descriptor, "t");
  g_assert_cmpmem (raw->data, raw->len, after.descriptor.raw.data, after.descriptor.raw.len);
}

static const struct
{
  const char *attributes;
  gboolean read_only;
  const char *seal;
} seals[] = {
  { "READONLY=true TALLORDER_SEAL=t", TRUE, "t" },
  { "READONLY=TRUE", TRUE, NULL },
  { "READONLY=truer TALLORDER_SEAL=t", FALSE, NULL },
  { "TALLORDER_SEAL=t", FALSE, NULL },
  { "READONLY=true TALLORDER_SEAL=t'", TRUE, NULL },
  { "READONLY=true TALLORDER_SEAL=", TRUE, NULL },
};

static void
test_seals (gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (seals); i++)
    {
      g_auto (Fixture) f;
      fixture_init (&f, seals[i].attributes, COMPACT);
      g_autofree char *seal = tall_hbase_descriptor_get_seal (&f.descriptor);
      g_assert_cmpstr (seal, ==, seals[i].seal);
      g_assert_true (tall_hbase_descriptor_is_read_only (&f.descriptor) == seals[i].read_only);
    }
}

static const struct
{
  const char *is;
  const char *sent;
  gboolean kept;
} kept[] = {
  { "B=2 A=1 READONLY=true TALLORDER_SEAL=t", "A=1 READONLY=true TALLORDER_SEAL=t", TRUE },
  { "READONLY=true TALLORDER_SEAL=t", "A=1 READONLY=true TALLORDER_SEAL=t", FALSE },
  { "A=2 READONLY=true TALLORDER_SEAL=t", "A=1 READONLY=true TALLORDER_SEAL=t", FALSE },
  { "READONLY=true TALLORDER_SEAL=u", "READONLY=true TALLORDER_SEAL=t", FALSE },
  { "A=1 READONLY=true", "A=1", FALSE },
  { "A=1 READONLY=false", "A=1", TRUE },
};

static void
test_kept (gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (kept); i++)
    {
      g_auto (Fixture) is, sent;
      fixture_init (&is, kept[i].is, COMPACT);
      fixture_init (&sent, kept[i].sent, COMPACT);
      g_assert_true (tall_hbase_descriptor_keeps (&is.descriptor, &sent.descriptor)
                     == kept[i].kept);
    }
}

static void
test_cut (gconstpointer data)
{
  g_auto (Fixture) f;
  fixture_init (&f, "A=1 READONLY=true", COMPACT);
  for (gsize len = 0; len < f.descriptor.raw.len; len++)
    {
      g_autoptr (GError) error = NULL;
      g_auto (TallHbaseDescriptor) cut = { .families = NULL };
      g_assert_false (tall_hbase_descriptor_init (&cut, tall_slice (f.descriptor.raw.data, len),
                                                  COMPACT, f.arena, &error));
      g_assert_nonnull (error);
    }
}

static void
add (const char *name, GTestDataFunc test)
{
  for (int compact = 0; compact < 2; compact++)
    {
      g_autofree char *path =
          g_strdup_printf ("/table/hbase/descriptor/%s/%s", compact ? "compact" : "binary", name);
      g_test_add_data_func (path, GINT_TO_POINTER (compact), test);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add ("change", test_change);
  add ("seals", test_seals);
  add ("kept", test_kept);
  add ("cut", test_cut);
  g_test_add_func ("/table/hbase/descriptor/same-bytes", test_same_bytes);
  return g_test_run ();
}
