/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-fake-answer.h"

void
tall_fake_request_clear (TallFakeRequest *self)
{
  g_clear_pointer (&self->name, g_free);
  g_clear_pointer (&self->rows, g_ptr_array_unref);
}

static void
write_binary_field (ThriftProtocol *protocol, gint16 id, const char *text, gsize len)
{
  thrift_protocol_write_field_begin (protocol, "", T_STRING, id, NULL);
  thrift_protocol_write_binary (protocol, (gpointer)text, (guint32)len, NULL);
  thrift_protocol_write_field_end (protocol, NULL);
}

static void
write_cell (ThriftProtocol *protocol, TallSlice qualifier, TallSlice value)
{
  thrift_protocol_write_struct_begin (protocol, "TColumnValue", NULL);
  write_binary_field (protocol, 1, "d", 1);
  write_binary_field (protocol, 2, (const char *)qualifier.data, qualifier.len);
  write_binary_field (protocol, 3, (const char *)value.data, value.len);
  thrift_protocol_write_field_begin (protocol, "timestamp", T_I64, 4, NULL);
  thrift_protocol_write_i64 (protocol, 1, NULL);
  thrift_protocol_write_field_stop (protocol, NULL);
  thrift_protocol_write_struct_end (protocol, NULL);
}

/* The row of the self-test as it must be in the end. */
static void
write_self_test (TallFakeScript *self, ThriftProtocol *protocol)
{
  g_auto (GStrv) cells = g_strsplit (self->cells, " ", -1);
  thrift_protocol_write_struct_begin (protocol, "TResult", NULL);
  write_binary_field (protocol, 1, "selftest/", 9);
  thrift_protocol_write_field_begin (protocol, "columnValues", T_LIST, 2, NULL);
  thrift_protocol_write_list_begin (protocol, T_STRUCT, (gint32)g_strv_length (cells), NULL);
  for (guint i = 0; cells[i] != NULL; i++)
    {
      const char *value = strchr (cells[i], '=') + 1;
      write_cell (protocol, tall_slice (cells[i], (gsize)(value - cells[i]) - 1),
                  tall_slice_str (value));
    }
  thrift_protocol_write_list_end (protocol, NULL);
  thrift_protocol_write_field_end (protocol, NULL);
  thrift_protocol_write_field_stop (protocol, NULL);
  thrift_protocol_write_struct_end (protocol, NULL);
}

static void
write_row (ThriftProtocol *protocol, GBytes *row, TallFakeAnswer answer)
{
  gsize len;
  const char *key = g_bytes_get_data (row, &len);
  if (answer == TALL_FAKE_OTHER_ROW)
    {
      key = "row-another";
      len = strlen (key);
    }
  gboolean exists = len >= 4 && memcmp (key, "row-", 4) == 0;

  thrift_protocol_write_struct_begin (protocol, "TResult", NULL);
  if (exists)
    write_binary_field (protocol, 1, key, len);
  thrift_protocol_write_field_begin (protocol, "columnValues", T_LIST, 2, NULL);
  thrift_protocol_write_list_begin (protocol, T_STRUCT, exists, NULL);
  if (exists)
    write_cell (protocol, tall_slice_str ("q"), tall_slice (key, len));
  thrift_protocol_write_list_end (protocol, NULL);
  thrift_protocol_write_field_end (protocol, NULL);
  thrift_protocol_write_field_stop (protocol, NULL);
  thrift_protocol_write_struct_end (protocol, NULL);
}

static void
write_rows (ThriftProtocol *protocol, const TallFakeRequest *request, TallFakeAnswer answer)
{
  thrift_protocol_write_field_begin (protocol, "success", T_LIST, 0, NULL);
  thrift_protocol_write_list_begin (protocol, T_STRUCT, (gint32)request->rows->len, NULL);
  for (guint i = 0; i < request->rows->len; i++)
    write_row (protocol, request->rows->pdata[i], answer);
  thrift_protocol_write_list_end (protocol, NULL);
}

static gboolean
is_self_test (const TallFakeRequest *request)
{
  gsize len;
  const char *key = g_bytes_get_data (request->rows->pdata[0], &len);
  return len > 9 && memcmp (key, "selftest/", 9) == 0;
}

static gboolean
is_meta (GBytes *name)
{
  gsize len;
  const char *text = g_bytes_get_data (name, &len);
  return len >= 5 && memcmp (text + len - 5, ".meta", 5) == 0;
}

static gboolean
is_conditional (const char *method)
{
  return g_str_equal (method, "checkAndMutate") || g_str_equal (method, "checkAndPut");
}

/* The table for the self-test exists only if the script has cells for its row. */
static gboolean
says_yes (TallFakeScript *self, const TallFakeRequest *request)
{
  if (request->rows->len > 0 && g_str_equal (request->name, "tableExists"))
    return self->cells != NULL || !is_meta (request->rows->pdata[0]);
  if (g_str_has_prefix (request->name, "isTable"))
    return tall_fake_table_is_disabled (&self->table)
           == g_str_equal (request->name, "isTableDisabled");
  if (!is_conditional (request->name) || self->answers == NULL
      || self->answers[self->n_answered] == '\0')
    return TRUE;
  return self->answers[self->n_answered++] == '1';
}

static void
write_no_rows (ThriftProtocol *protocol)
{
  thrift_protocol_write_field_begin (protocol, "success", T_LIST, 0, NULL);
  thrift_protocol_write_list_begin (protocol, T_STRUCT, 0, NULL);
  thrift_protocol_write_list_end (protocol, NULL);
}

static void
write_region (ThriftProtocol *protocol, const char *start_key)
{
  thrift_protocol_write_struct_begin (protocol, "THRegionLocation", NULL);
  thrift_protocol_write_field_begin (protocol, "serverName", T_STRUCT, 1, NULL);
  thrift_protocol_write_struct_begin (protocol, "TServerName", NULL);
  write_binary_field (protocol, 1, "localhost", strlen ("localhost"));
  thrift_protocol_write_field_stop (protocol, NULL);
  thrift_protocol_write_struct_end (protocol, NULL);
  thrift_protocol_write_field_begin (protocol, "regionInfo", T_STRUCT, 2, NULL);
  thrift_protocol_write_struct_begin (protocol, "THRegionInfo", NULL);
  thrift_protocol_write_field_begin (protocol, "regionId", T_I64, 1, NULL);
  thrift_protocol_write_i64 (protocol, 1, NULL);
  write_binary_field (protocol, 2, "t", 1);
  write_binary_field (protocol, 3, start_key, strlen (start_key));
  thrift_protocol_write_field_stop (protocol, NULL);
  thrift_protocol_write_struct_end (protocol, NULL);
  thrift_protocol_write_field_stop (protocol, NULL);
  thrift_protocol_write_struct_end (protocol, NULL);
}

static void
write_regions (ThriftProtocol *protocol)
{
  thrift_protocol_write_field_begin (protocol, "success", T_LIST, 0, NULL);
  thrift_protocol_write_list_begin (protocol, T_STRUCT, 2, NULL);
  write_region (protocol, "");
  write_region (protocol, "B");
  thrift_protocol_write_list_end (protocol, NULL);
}

static gboolean
is_question (const char *method)
{
  return is_conditional (method) || g_str_equal (method, "tableExists")
         || g_str_equal (method, "isTableEnabled") || g_str_equal (method, "isTableDisabled");
}

/* What changes the table. A gateway that says no says that it has been done, and has not. */
static void
change_table (TallFakeScript *self, const TallFakeRequest *request, TallFakeAnswer answer)
{
  if (answer == TALL_FAKE_NO)
    return;
  if (g_str_equal (request->name, "modifyTable"))
    tall_fake_table_set_attributes (&self->table, request->rows);
  else if (g_str_equal (request->name, "enableTable"))
    tall_fake_table_set_disabled (&self->table, FALSE);
  else if (g_str_equal (request->name, "disableTable"))
    tall_fake_table_set_disabled (&self->table, TRUE);
}

/* The deletes that failed. */
static void
write_failed (ThriftProtocol *protocol, gboolean one)
{
  thrift_protocol_write_field_begin (protocol, "success", T_LIST, 0, NULL);
  thrift_protocol_write_list_begin (protocol, T_STRUCT, one, NULL);
  if (one)
    {
      thrift_protocol_write_struct_begin (protocol, "TDelete", NULL);
      write_binary_field (protocol, 1, "row", 3);
      thrift_protocol_write_field_stop (protocol, NULL);
      thrift_protocol_write_struct_end (protocol, NULL);
    }
  thrift_protocol_write_list_end (protocol, NULL);
}

static TallSlice
reason_of (const TallFakeScript *self, TallFakeAnswer answer)
{
  static const char bytes[] =
      "java.io.IOException: " TALL_FAKE_REASON "\n\tat org.apache.hadoop.hbase.Some.where";
  if (answer == TALL_FAKE_ERROR_BYTES)
    return tall_slice (bytes, sizeof bytes - 1);
  if (answer == TALL_FAKE_BUSY)
    return tall_slice_str ("org.apache.hadoop.hbase.CallQueueTooBigException: Call queue is full");
  return tall_slice_str (self->reason != NULL ? self->reason : "java.io.IOException: it hurts");
}

static void
write_error (const TallFakeScript *self,
             ThriftProtocol *protocol,
             TallFakeAnswer answer,
             GError **error)
{
  TallSlice reason = reason_of (self, answer);
  thrift_protocol_write_field_begin (protocol, "io", T_STRUCT, 1, error);
  thrift_protocol_write_struct_begin (protocol, "TIOError", error);
  write_binary_field (protocol, 1, (const char *)reason.data, reason.len);
  thrift_protocol_write_field_begin (protocol, "canRetry", T_BOOL, 2, error);
  thrift_protocol_write_bool (protocol, TRUE, error);
  thrift_protocol_write_field_stop (protocol, error);
  thrift_protocol_write_struct_end (protocol, error);
}

static void
write_result (TallFakeScript *self,
              ThriftProtocol *protocol,
              const TallFakeRequest *request,
              TallFakeAnswer answer,
              GError **error)
{
  const char *name = request->name;
  gboolean no_table = self->cells == NULL && g_str_equal (name, "getScannerResults");
  if (answer == TALL_FAKE_ERROR || answer == TALL_FAKE_BUSY || answer == TALL_FAKE_ERROR_BYTES
      || no_table)
    write_error (self, protocol, answer, error);
  else if (g_str_equal (name, "getThriftServerType"))
    {
      thrift_protocol_write_field_begin (protocol, "success", T_I32, 0, error);
      thrift_protocol_write_i32 (protocol, answer == TALL_FAKE_THRIFT1 ? 1 : 2, error);
    }
  else if (g_str_equal (name, "get"))
    {
      thrift_protocol_write_field_begin (protocol, "success", T_STRUCT, 0, error);
      if (self->cells != NULL && is_self_test (request))
        write_self_test (self, protocol);
      else
        write_row (protocol, request->rows->pdata[0], answer);
    }
  else if (g_str_equal (name, "getMultiple"))
    write_rows (protocol, request, answer);
  else if (is_question (name))
    {
      thrift_protocol_write_field_begin (protocol, "success", T_BOOL, 0, error);
      thrift_protocol_write_bool (protocol, answer != TALL_FAKE_NO && says_yes (self, request),
                                  error);
    }
  else if (g_str_equal (name, "getTableDescriptor"))
    {
      thrift_protocol_write_field_begin (protocol, "success", T_STRUCT, 0, error);
      tall_fake_table_write (&self->table, protocol);
    }
  else if (g_str_equal (name, "getAllRegionLocations"))
    write_regions (protocol);
  else if (g_str_equal (name, "getScannerResults"))
    write_no_rows (protocol);
  else if (g_str_equal (name, "deleteMultiple"))
    write_failed (protocol, answer == TALL_FAKE_FAILED);
  else
    change_table (self, request, answer);
  thrift_protocol_write_field_stop (protocol, error);
}

/* Writes that the call could not be run. */
static void
write_exception (ThriftProtocol *protocol, TallFakeAnswer answer, GError **error)
{
  static const char message[] = "unknown method: " TALL_FAKE_REASON;
  static const char broken[] = "Internal error processing";
  gboolean is_broken = answer == TALL_FAKE_BROKEN;
  write_binary_field (protocol, 1, is_broken ? broken : message,
                      (is_broken ? sizeof broken : sizeof message) - 1);
  thrift_protocol_write_field_begin (protocol, "type", T_I32, 2, error);
  thrift_protocol_write_i32 (protocol,
                             is_broken ? THRIFT_APPLICATION_EXCEPTION_ERROR_INTERNAL_ERROR
                                       : THRIFT_APPLICATION_EXCEPTION_ERROR_UNKNOWN_METHOD,
                             error);
  thrift_protocol_write_field_stop (protocol, error);
}

/**
 * tall_fake_answer_write:
 *
 * Writes an answer and sends it.
 */
gboolean
tall_fake_answer_write (TallFakeScript *self,
                        ThriftProtocol *protocol,
                        const TallFakeRequest *request,
                        TallFakeAnswer answer,
                        GError **error)
{
  gboolean not_run = answer == TALL_FAKE_UNKNOWN || answer == TALL_FAKE_BROKEN;
  const char *name = answer == TALL_FAKE_OTHER_METHOD ? "exists" : request->name;
  gint32 seqid = answer == TALL_FAKE_OTHER_CALL ? request->seqid - 1 : request->seqid;
  thrift_protocol_write_message_begin (protocol, name, not_run ? T_EXCEPTION : T_REPLY, seqid,
                                       error);
  thrift_protocol_write_struct_begin (protocol, "result", error);
  if (not_run)
    write_exception (protocol, answer, error);
  else
    write_result (self, protocol, request, answer, error);
  thrift_protocol_write_struct_end (protocol, error);
  thrift_protocol_write_message_end (protocol, error);
  return thrift_transport_flush (protocol->transport, error);
}

/**
 * tall_fake_answer_send_spoilt:
 *
 * Sends an answer, unframed and binary, of which a part is missing or wrong.
 */
void
tall_fake_answer_send_spoilt (TallFakeScript *self,
                              GSocket *socket,
                              const TallFakeRequest *request,
                              TallFakeAnswer answer)
{
  TallWireOptions options = TALL_WIRE_OPTIONS_INIT;
  options.side = TALL_WIRE_SERVER;
  g_autoptr (TallTransport) memory =
      tall_transport_new_memory ((TallSlice)TALL_SLICE_INIT, &options);
  g_autoptr (ThriftProtocol) protocol = tall_thrift_protocol_new (memory, FALSE);
  g_autoptr (GError) error = NULL;
  tall_fake_answer_write (self, protocol, request, TALL_FAKE_ANSWER, &error);

  TallSlice whole = tall_transport_get_output (memory);
  g_autofree guint8 *bytes = g_memdup2 (whole.data, whole.len);
  gsize header = 4 + 4 + strlen (request->name) + 4;
  if (answer == TALL_FAKE_GARBLED)
    memset (bytes + header, 0xff, whole.len - header);
  gsize len = answer == TALL_FAKE_CUT ? whole.len / 2 : whole.len;
  g_socket_send (socket, (const char *)bytes, len, NULL, NULL);
}

/* Reads the fields of a struct up to its end: TRUE for each one that @type and @id describe. */
static gboolean
find_field (ThriftProtocol *protocol, gint16 wanted, ThriftType *type, GError **error)
{
  g_autofree char *name = NULL;
  gint16 id = 0;
  for (;;)
    {
      g_clear_pointer (&name, g_free);
      if (thrift_protocol_read_field_begin (protocol, &name, type, &id, error) < 0
          || *type == T_STOP)
        return FALSE;
      if (id == wanted)
        return TRUE;
      if (thrift_protocol_skip (protocol, *type, error) < 0)
        return FALSE;
    }
}

/* A TGet, TPut or TDelete: its first field is the row's key. */
static void
read_get (ThriftProtocol *protocol, GPtrArray *rows, GError **error)
{
  ThriftType type;
  g_autofree char *name = NULL;
  gpointer data;
  guint32 len;
  thrift_protocol_read_struct_begin (protocol, &name, error);
  while (find_field (protocol, 1, &type, error))
    if (thrift_protocol_read_binary (protocol, &data, &len, error) >= 0)
      g_ptr_array_add (rows, g_bytes_new_take (data, len));
  thrift_protocol_read_struct_end (protocol, error);
}

/* The second argument of `get` is a TGet, that of `getMultiple` a list of them; of `putMultiple`
 * and `deleteMultiple` likewise. */
static void
read_gets (ThriftProtocol *protocol, GPtrArray *rows, GError **error)
{
  ThriftType type;
  g_autofree char *name = NULL;
  guint32 n = 1;
  thrift_protocol_read_struct_begin (protocol, &name, error);
  while (*error == NULL && find_field (protocol, 2, &type, error))
    {
      if (type == T_LIST)
        thrift_protocol_read_list_begin (protocol, &type, &n, error);
      for (guint32 i = 0; i < n && *error == NULL; i++)
        read_get (protocol, rows, error);
    }
  thrift_protocol_read_struct_end (protocol, error);
}

/* The argument of `tableExists` is a TTableName, whose second field is the name. */
static void
read_table_name (ThriftProtocol *protocol, GPtrArray *rows, GError **error)
{
  ThriftType type;
  g_autofree char *name = NULL;
  gpointer data;
  guint32 len;
  thrift_protocol_read_struct_begin (protocol, &name, error);
  while (*error == NULL && find_field (protocol, 1, &type, error))
    {
      g_autofree char *inner = NULL;
      thrift_protocol_read_struct_begin (protocol, &inner, error);
      while (find_field (protocol, 2, &type, error))
        if (thrift_protocol_read_binary (protocol, &data, &len, error) >= 0)
          g_ptr_array_add (rows, g_bytes_new_take (data, len));
      thrift_protocol_read_struct_end (protocol, error);
    }
  thrift_protocol_read_struct_end (protocol, error);
}

/**
 * tall_fake_request_read:
 *
 * Reads a request, and the keys of what it asks for.
 */
gboolean
tall_fake_request_read (ThriftProtocol *protocol, TallFakeRequest *request, GError **error)
{
  ThriftMessageType type;
  request->rows = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  if (thrift_protocol_read_message_begin (protocol, &request->name, &type, &request->seqid, error)
      < 0)
    return FALSE;
  request->writes =
      g_str_equal (request->name, "putMultiple") || g_str_equal (request->name, "deleteMultiple");
  if (request->writes || g_str_equal (request->name, "get")
      || g_str_equal (request->name, "getMultiple"))
    read_gets (protocol, request->rows, error);
  else if (g_str_equal (request->name, "tableExists"))
    read_table_name (protocol, request->rows, error);
  else if (g_str_equal (request->name, "modifyTable"))
    tall_fake_table_read_attributes (protocol, request->rows, error);
  else
    thrift_protocol_skip (protocol, T_STRUCT, error);
  return *error == NULL && thrift_protocol_read_message_end (protocol, error) >= 0
         && thrift_transport_read_end (protocol->transport, error);
}
