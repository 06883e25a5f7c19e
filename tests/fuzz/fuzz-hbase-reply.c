/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"
#include "table/hbase/reply.h"

#define MAX_ROWS 8

static void
check_rows (const TallHbaseReply *reply)
{
  g_assert_cmpuint (reply->rows->len, <=, MAX_ROWS);
  for (guint i = 0; i < reply->rows->len; i++)
    {
      const TallRow *row = tall_hbase_reply_get_row (reply, i);
      for (guint k = 1; k < row->n_cells; k++)
        {
          const TallCell *before = &row->cells[k - 1];
          int order = tall_slice_compare (before->qualifier, row->cells[k].qualifier);
          g_assert_true (order < 0 || (order == 0 && before->timestamp >= row->cells[k].timestamp));
        }
    }
}

/* Messages for people contain nothing that could steer a terminal. */
static void
check_reason (GError *reason, const TallHbaseTIOError *io)
{
  g_autoptr (GError) error = NULL;
  tall_hbase_error_set (&error, reason, io, "gateway");
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
  for (const char *at = error->message; *at != '\0'; at = g_utf8_next_char (at))
    g_assert_false (g_unichar_iscntrl (g_utf8_get_char (at)));
}

/* The content of a frame, as a gateway answers `get` (or anything else, taken as a list of rows).
 */
int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  TallWireOptions options = TALL_WIRE_OPTIONS_INIT;
  options.compact =
      tall_protocol_recognize (tall_slice (data, size), NULL) == TALL_RECOGNIZED_COMPACT;
  g_autoptr (TallTransport) transport =
      tall_transport_new_memory (tall_slice (data, size), &options);
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallHbaseTIOError *io = NULL;
  g_autoptr (GError) error = NULL;
  TallHbaseReply reply;
  static const char list[] = "getMultiple";
  TallHbaseMethodId method = memmem (data, MIN (size, 32), list, sizeof list - 1) != NULL
                                 ? TALL_HBASE_GET_MULTIPLE
                                 : TALL_HBASE_GET;

  tall_hbase_reply_init (&reply, arena);
  gboolean ok = tall_hbase_reply_read (&reply, transport, method, MAX_ROWS, &io, &error);
  g_assert_cmpint (ok, ==, io == NULL && error == NULL);
  g_assert_true (io == NULL || error == NULL);
  g_assert_true (ok || reply.rows->len == 0);
  check_rows (&reply);
  if (!ok)
    check_reason (error, io);
  tall_hbase_reply_clear (&reply);
  return 0;
}
