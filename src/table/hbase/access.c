/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/access.h"

#include "base/fail.h"

#include "table/hbase/call.h"
#include "table/hbase/reply.h"
#include "table/table-checks.h"
#include "table/table-kind.h"
#include "wire/struct.h"

/* `TTableDescriptor.attributes` of the gateway's IDL: a map of bytes to bytes. */
#define ATTRIBUTES_ID 3

/* HBase's own attribute of a table that refuses writes. */
#define READONLY_ATTRIBUTE "READONLY"

/* The largest id: after it, the compact protocol writes any other in full. */
#define LAST_ID G_MAXINT16

static TallTransport *
open_raw (const TallHbaseDescriptor *self)
{
  TallWireOptions options = TALL_WIRE_OPTIONS_INIT;
  options.compact = self->compact;
  return tall_transport_new_memory (self->raw, &options);
}

/* How far it was read: all of the bytes were there from the beginning. */
static gsize
tell (const TallHbaseDescriptor *self, TallTransport *transport)
{
  return self->raw.len - tall_transport_get_remaining (transport);
}

/* Reads bytes as a part of the raw ones. */
static gboolean
read_part (const TallHbaseDescriptor *self,
           TallTransport *transport,
           TallSlice *part,
           GError **error)
{
  TallSlice bytes;
  if (!tall_protocol_lend_bytes (tall_protocol_get_reader (transport), &bytes, error))
    return FALSE;
  *part = tall_slice (self->raw.data + tell (self, transport) - bytes.len, bytes.len);
  return TRUE;
}

static gboolean
read_attributes (TallHbaseDescriptor *self,
                 TallTransport *transport,
                 TallArena *arena,
                 GError **error)
{
  ThriftProtocol *protocol = tall_protocol_get_reader (transport);
  ThriftType key_type = T_STOP, value_type = T_STOP;
  guint32 n = 0;
  if (thrift_protocol_read_map_begin (protocol, &key_type, &value_type, &n, error) < 0)
    return FALSE;
  if (n > 0 && (key_type != T_STRING || value_type != T_STRING))
    return tall_transport_reject (transport, error, "a table's attributes have the wrong type");

  self->attributes = tall_arena_newa0 (arena, TallHbaseAttribute, n);
  self->n_attributes = n;
  for (guint32 i = 0; i < n; i++)
    if (!read_part (self, transport, &self->attributes[i].key, error)
        || !read_part (self, transport, &self->attributes[i].value, error))
      return FALSE;
  return thrift_protocol_read_map_end (protocol, error) >= 0;
}

static gboolean
find_attributes (TallHbaseDescriptor *self, TallArena *arena, GError **error)
{
  g_autoptr (TallTransport) transport = open_raw (self);
  ThriftProtocol *protocol = tall_protocol_get_reader (transport);
  gchar *name;
  if (thrift_protocol_read_struct_begin (protocol, &name, error) < 0)
    return FALSE;
  for (;;)
    {
      ThriftType type = T_STOP;
      gint16 id = 0;
      gsize at = tell (self, transport);
      if (thrift_protocol_read_field_begin (protocol, &name, &type, &id, error) < 0)
        return FALSE;
      gboolean found = id == ATTRIBUTES_ID && type == T_MAP;
      if (type == T_STOP || found)
        self->start = self->end = at;
      if (type == T_STOP)
        return TRUE;
      if (!found && !tall_protocol_skip (protocol, type, error))
        return FALSE;
      if (!found)
        continue;
      gboolean read = read_attributes (self, transport, arena, error);
      self->end = tell (self, transport);
      return read;
    }
}

static gboolean
take_family (TallStructReader *reader,
             const TallStructType *type G_GNUC_UNUSED,
             gconstpointer family,
             GError **error G_GNUC_UNUSED)
{
  TallHbaseDescriptor *self = reader->sink;
  g_array_append_vals (self->families, family, 1);
  return TRUE;
}

static gboolean
read_families (TallHbaseDescriptor *self, TallArena *arena, GError **error)
{
  static const TallStructHandler handler = { NULL, take_family };
  g_autoptr (TallTransport) transport = open_raw (self);
  TallHbaseTTableDescriptor table = { NULL };
  TallStructReader reader;
  tall_struct_reader_init (&reader, transport, arena, NULL);
  reader.handler = &handler;
  reader.sink = self;
  return tall_struct_reader_read (&reader, &tall_hbase_t_table_descriptor_type, &table, error)
         && tall_struct_reader_finish (&reader, error);
}

/**
 * tall_hbase_descriptor_init:
 * @raw: what a gateway answered; must outlive @self
 * @compact: whether that is in the compact protocol
 * @arena: takes what is read
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if it is not a descriptor of a table
 */
gboolean
tall_hbase_descriptor_init (
    TallHbaseDescriptor *self, TallSlice raw, gboolean compact, TallArena *arena, GError **error)
{
  *self = (TallHbaseDescriptor){
    .raw = raw,
    .compact = compact,
    .families = g_array_new (FALSE, FALSE, sizeof (TallHbaseTColumnFamilyDescriptor)),
  };
  return read_families (self, arena, error) && find_attributes (self, arena, error);
}

void
tall_hbase_descriptor_clear (TallHbaseDescriptor *self)
{
  g_clear_pointer (&self->families, g_array_unref);
}

static const TallHbaseAttribute *
find_attribute (const TallHbaseDescriptor *self, TallSlice key)
{
  for (guint i = 0; i < self->n_attributes; i++)
    if (tall_slice_equal (self->attributes[i].key, key))
      return &self->attributes[i];
  return NULL;
}

/**
 * tall_hbase_descriptor_is_read_only:
 *
 * Returns: whether the table refuses writes; Java's own reading of a truth value, in any case
 */
gboolean
tall_hbase_descriptor_is_read_only (const TallHbaseDescriptor *self)
{
  const TallHbaseAttribute *found = find_attribute (self, tall_slice_str (READONLY_ATTRIBUTE));
  return found != NULL && found->value.len == strlen ("true")
         && g_ascii_strncasecmp ((const char *)found->value.data, "true", found->value.len) == 0;
}

/**
 * tall_hbase_descriptor_get_seal:
 *
 * Returns: (nullable) (transfer full): the token under which the table is read-only; NULL if it is
 *   not, or under none of ours
 */
char *
tall_hbase_descriptor_get_seal (const TallHbaseDescriptor *self)
{
  const TallHbaseAttribute *found = find_attribute (self, tall_slice_str (TALL_SEAL_ATTRIBUTE));
  if (found == NULL || !tall_hbase_descriptor_is_read_only (self)
      || memchr (found->value.data, '\0', found->value.len) != NULL)
    return NULL;
  g_autofree char *seal = g_strndup ((const char *)found->value.data, found->value.len);
  return tall_table_is_seal (seal) ? g_steal_pointer (&seal) : NULL;
}

static gboolean
is_ours (const TallHbaseAttribute *attribute)
{
  return tall_slice_equal (attribute->key, tall_slice_str (READONLY_ATTRIBUTE))
         || tall_slice_equal (attribute->key, tall_slice_str (TALL_SEAL_ATTRIBUTE));
}

static void
put_attribute (ThriftProtocol *protocol, const TallHbaseAttribute *attribute)
{
  const TallSlice parts[] = { attribute->key, attribute->value };
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    thrift_protocol_write_binary (protocol, (gpointer)parts[i].data, (guint32)parts[i].len, NULL);
}

static void
put_attributes (const TallHbaseDescriptor *self, const char *seal, ThriftProtocol *protocol)
{
  const TallHbaseAttribute ours[] = {
    { tall_slice_str (READONLY_ATTRIBUTE), tall_slice_str ("true") },
    { tall_slice_str (TALL_SEAL_ATTRIBUTE), tall_slice_str (seal == NULL ? "" : seal) },
  };
  const guint n_ours = seal == NULL ? 0 : G_N_ELEMENTS (ours);
  guint n = n_ours;
  for (guint i = 0; i < self->n_attributes; i++)
    n += !is_ours (&self->attributes[i]);

  thrift_protocol_write_field_begin (protocol, "", T_MAP, ATTRIBUTES_ID, NULL);
  thrift_protocol_write_map_begin (protocol, T_STRING, T_STRING, n, NULL);
  for (guint i = 0; i < self->n_attributes; i++)
    if (!is_ours (&self->attributes[i]))
      put_attribute (protocol, &self->attributes[i]);
  for (guint i = 0; i < n_ours; i++)
    put_attribute (protocol, &ours[i]);
}

/**
 * tall_hbase_descriptor_with_seal:
 * @seal: (nullable): the token; NULL: open
 *
 * The field of the attributes has its number in full: then the head of the next field is right
 * whether it counts from this one or not.
 *
 * Returns: (transfer full): the same bytes, but for the two attributes that shut the table
 */
GByteArray *
tall_hbase_descriptor_with_seal (const TallHbaseDescriptor *self, const char *seal)
{
  g_autoptr (TallTransport) transport = open_raw (self);
  ThriftProtocol *protocol = tall_protocol_get_writer (transport);
  GByteArray *bytes = g_byte_array_new ();
  thrift_protocol_write_field_begin (protocol, "", T_I32, LAST_ID, NULL);
  tall_transport_drop_output (transport);
  put_attributes (self, seal, protocol);
  tall_bytes_append (bytes, tall_slice (self->raw.data, self->start));
  tall_bytes_append (bytes, tall_transport_get_output (transport));
  tall_bytes_append (bytes, tall_slice (self->raw.data + self->end, self->raw.len - self->end));
  return bytes;
}

/**
 * tall_hbase_descriptor_keeps:
 * @sent: what was to become of the table
 *
 * Returns: whether all attributes are there as they were sent, and the table is as open or sealed.
 *   HBase adds some of its own
 */
gboolean
tall_hbase_descriptor_keeps (const TallHbaseDescriptor *self, const TallHbaseDescriptor *sent)
{
  for (guint i = 0; i < sent->n_attributes; i++)
    {
      const TallHbaseAttribute *due = &sent->attributes[i];
      const TallHbaseAttribute *is = find_attribute (self, due->key);
      if (is == NULL || !tall_slice_equal (is->value, due->value))
        return FALSE;
    }
  g_autofree char *seal = tall_hbase_descriptor_get_seal (self);
  g_autofree char *due = tall_hbase_descriptor_get_seal (sent);
  return tall_hbase_descriptor_is_read_only (self) == tall_hbase_descriptor_is_read_only (sent)
         && g_strcmp0 (seal, due) == 0;
}

/* So long, and with such pauses, a table may be neither enabled nor disabled. */
#define SETTLING_TIME (60 * G_TIME_SPAN_SECOND)
#define PAUSE (50 * G_TIME_SPAN_MILLISECOND)

typedef struct
{
  TallHbasePool *pool;
  TallHbaseRequest request;
  const TallTableShutter *to;
  gint64 deadline;
  gboolean changing; /* something was sent that may change the table */
} Change;

static gboolean
run (Change *self, TallHbaseMethodId method, GError **error)
{
  return tall_hbase_request_run (&self->request, method, self->deadline, error);
}

/* Sends what changes the table. Only the first such call can be refused with nothing done. */
static gboolean
run_change (Change *self, TallHbaseMethodId method, GError **error)
{
  gboolean was_changing = self->changing;
  g_autoptr (GError) local = NULL;
  self->changing = TRUE;
  if (run (self, method, &local))
    return TRUE;
  self->changing =
      was_changing
      || !(tall_error_is_not_done (local) || g_error_matches (local, TALL_ERROR, TALL_ERROR_SHUT));
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

static gboolean
read_descriptor (Change *self, TallHbaseDescriptor *descriptor, GError **error)
{
  return run (self, TALL_HBASE_GET_TABLE_DESCRIPTOR, error)
         && tall_hbase_descriptor_init (descriptor, self->request.call.result.raw,
                                        self->pool->options.compact, self->request.call.arena,
                                        error);
}

static gboolean
fail_changed (const Change *self, GError **error)
{
  return tall_error_fail (
      error, TALL_ERROR_OUTCOME_UNKNOWN,
      "table %s is not as it was to be: somebody else changes it, or the gateway spoils it",
      self->request.table);
}

/* A gateway may say "done" and spoil what it was given. */
static gboolean
check_descriptor (Change *self, const TallHbaseDescriptor *sent, GError **error)
{
  g_auto (TallHbaseDescriptor) is = { .families = NULL };
  return read_descriptor (self, &is, error)
         && (tall_hbase_descriptor_keeps (&is, sent) || fail_changed (self, error));
}

/* Whether another caller may be the reason why the table's state cannot be changed. */
static gboolean
may_settle (const GError *reason)
{
  return g_error_matches (reason, TALL_ERROR, TALL_ERROR_SHUT)
         || g_error_matches (reason, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN);
}

/* Makes the table enabled or disabled, by @method, until @question says yes. The method fails where
 * another caller has just done the same, or the opposite is under way. */
static gboolean
ensure (Change *self, TallHbaseMethodId question, TallHbaseMethodId method, GError **error)
{
  gint64 end = MIN (self->deadline, g_get_monotonic_time () + SETTLING_TIME);
  while (run (self, question, error))
    {
      g_autoptr (GError) reason = NULL;
      if (self->request.call.result.yes)
        return TRUE;
      if (g_get_monotonic_time () >= end)
        return tall_error_fail (
            error, TALL_ERROR_UNAVAILABLE,
            "table %s gets neither enabled nor disabled: look at HBase's master",
            self->request.table);
      if (run_change (self, method, &reason))
        continue;
      if (!may_settle (reason))
        {
          g_propagate_error (error, g_steal_pointer (&reason));
          return FALSE;
        }
      g_usleep (PAUSE);
    }
  return FALSE;
}

/* Seals or unseals. HBase answers when all regions that are open are so with the new descriptor; a
 * table that is disabled stays disabled. */
static gboolean
modify (Change *self, GError **error)
{
  g_auto (TallHbaseDescriptor) came = { .families = NULL };
  g_auto (TallHbaseDescriptor) sent = { .families = NULL };
  if (!read_descriptor (self, &came, error))
    return FALSE;

  g_autoptr (GByteArray) raw = tall_hbase_descriptor_with_seal (&came, self->to->seal);
  self->request.call.args.raw = tall_slice_array (raw);
  return tall_hbase_descriptor_init (&sent, self->request.call.args.raw, came.compact,
                                     self->request.call.arena, error)
         && run_change (self, TALL_HBASE_MODIFY_TABLE, error)
         && check_descriptor (self, &sent, error);
}

/* Adds what an administrator can do instead. */
static void
explain (const Change *self, GError **error)
{
  if (error == NULL || !g_error_matches (*error, TALL_ERROR, TALL_ERROR_UNSUPPORTED))
    return;
  g_autofree char *ddl = tall_table_shutter_to_ddl (self->to, self->request.pool->names.deployment,
                                                    self->request.table);
  g_autofree char *message = g_steal_pointer (&(*error)->message);
  (*error)->message =
      g_strdup_printf ("%s. Do it in the hbase shell, and try again: %s", message, ddl);
}

static gboolean
refuse_framed (TallHbasePool *pool, GError **error)
{
  if (!pool->options.framed)
    return TRUE;
  return tall_error_fail (error, TALL_ERROR_UNSUPPORTED,
                          "A framed gateway spoils the attributes of a table: use an unframed one");
}

static gboolean
change (Change *self, GError **error)
{
  if (!run (self, TALL_HBASE_TABLE_EXISTS, error))
    return FALSE;
  if (!self->request.call.result.yes)
    {
      tall_hbase_error_set_no_table (error, self->request.table,
                                     self->request.pool->names.deployment);
      return FALSE;
    }
  if (!refuse_framed (self->pool, error))
    return FALSE;
  switch (self->to->access)
    {
    case TALL_ACCESS_CLOSED:
      return ensure (self, TALL_HBASE_IS_TABLE_DISABLED, TALL_HBASE_DISABLE_TABLE, error);
    case TALL_ACCESS_UNCLOSED:
      return ensure (self, TALL_HBASE_IS_TABLE_ENABLED, TALL_HBASE_ENABLE_TABLE, error);
    default:
      return modify (self, error);
    }
}

/**
 * tall_hbase_set_access:
 *
 * Implements set_access. Sealed is read-only, with the token beside it; closed is disabled. Each is
 * changed alone: a seal that hangs in a gateway does not enable a table. What fails after the table
 * was changed may be done.
 */
gboolean
tall_hbase_set_access (TallHbasePool *pool,
                       const char *table,
                       const TallTableShutter *to,
                       gint64 deadline,
                       GError **error)
{
  g_auto (TallHbaseRequest) request = tall_hbase_request (pool, table);
  Change self = { .pool = pool, .request = request, .to = to, .deadline = deadline };
  g_autoptr (GError) local = NULL;
  request = (TallHbaseRequest){ .pool = NULL };
  gboolean changed = change (&self, &local);
  if (!changed && self.changing)
    local->code = TALL_ERROR_OUTCOME_UNKNOWN;
  else if (!changed)
    explain (&self, &local);
  tall_hbase_request_clear (&self.request);
  if (!changed)
    g_propagate_error (error, g_steal_pointer (&local));
  return changed;
}
