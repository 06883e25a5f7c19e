/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "peer-reader.h"

#include "tall-error.h"
#include "table/hbase/convert.h"

#define READ_TIME (60 * G_USEC_PER_SEC)

/**
 * tall_peer_reader_open:
 * @program: as a shell would find it, with its arguments
 */
gboolean
tall_peer_reader_open (TallPeerReader *self, const char *program, GError **error)
{
  g_auto (GStrv) arguments = NULL;
  if (!g_shell_parse_argv (program, NULL, &arguments, error))
    return FALSE;
  self->program = g_strdup (program);
  self->process =
      g_subprocess_newv ((const char *const *)arguments,
                         G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE, error);
  if (self->process == NULL)
    {
      g_prefix_error (error, "%s: ", program);
      return FALSE;
    }
  self->input = g_subprocess_get_stdin_pipe (self->process);
  self->output = g_data_input_stream_new (g_subprocess_get_stdout_pipe (self->process));
  return TRUE;
}

/* Sends @commands, and reads the answer to the last of them. */
static char *
call (TallPeerReader *self, const char *commands, GError **error)
{
  g_autoptr (GError) local = NULL;
  char *answer = NULL;
  if (g_output_stream_write_all (self->input, commands, strlen (commands), NULL, NULL, &local))
    answer = g_data_input_stream_read_line (self->output, NULL, NULL, &local);
  if (answer == NULL)
    g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE, "%s ended, and has not answered%s%s",
                 self->program, local != NULL ? ": " : "", local != NULL ? local->message : "");
  return answer;
}

static gboolean
expect (TallPeerReader *self, const char *commands, const char *wanted, GError **error)
{
  g_autofree char *answer = call (self, commands, error);
  if (answer == NULL || g_str_equal (answer, wanted))
    return answer != NULL;
  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED, "%s answers “%s” where it was to be “%s”",
               self->program, answer, wanted);
  return FALSE;
}

static void
append_hex (GString *text, TallSlice bytes)
{
  const guint8 *data = bytes.data;
  g_string_append_c (text, ' ');
  for (gsize i = 0; i < bytes.len; i++)
    g_string_append_printf (text, "%02x", data[i]);
}

static void
append_read (GString *text, const TallHbaseNames *names, const TallRead *read)
{
  g_string_append_printf (text, "%s %s.%s", read->kind == TALL_READ_GET ? "get" : "scan",
                          names->deployment, read->table);
  append_hex (text, read->kind == TALL_READ_GET ? read->keys[0] : read->start);
  if (read->kind == TALL_READ_SCAN)
    append_hex (text, read->stop);
  g_string_append_c (text, '\n');
}

static void
add_bytes (GChecksum *digest, TallSlice bytes)
{
  guint32 len = GUINT32_TO_BE ((guint32)bytes.len);
  g_checksum_update (digest, (const guchar *)&len, sizeof len);
  g_checksum_update (digest, bytes.data, (gssize)bytes.len);
}

static void
add_row (GChecksum *digest, const TallRow *row)
{
  for (guint i = 0; i < row->n_cells; i++)
    {
      gint64 timestamp = GINT64_TO_BE (row->cells[i].timestamp);
      add_bytes (digest, row->key);
      add_bytes (digest, row->cells[i].qualifier);
      g_checksum_update (digest, (const guchar *)&timestamp, sizeof timestamp);
      add_bytes (digest, row->cells[i].value);
    }
}

/* As the program computes it: of all cells, in the order of the reads. */
static char *
compute_digest (TallTable *table, const TallReadPlan *plan, GError **error)
{
  g_autoptr (GChecksum) digest = g_checksum_new (G_CHECKSUM_MD5);
  g_autoptr (TallReadResult) found =
      tall_table_read (table, plan, g_get_monotonic_time () + READ_TIME, error);
  if (found == NULL)
    return NULL;
  for (guint i = 0; i < found->n_results; i++)
    for (guint k = 0; k < found->results[i].n_rows; k++)
      add_row (digest, &found->results[i].rows[k]);
  return g_strdup (g_checksum_get_string (digest));
}

/**
 * tall_peer_reader_plan:
 * @options: of @table
 * @plan: of gets of one row, and scans, of whole rows
 *
 * Says what is fetched from now on. It is read once from @table, to be compared with.
 */
gboolean
tall_peer_reader_plan (TallPeerReader *self,
                       const TallHbaseOptions *options,
                       TallTable *table,
                       const TallReadPlan *plan,
                       GError **error)
{
  g_auto (TallHbaseNames) names = { 0 };
  if (!tall_hbase_names_init (&names, options->name, error))
    return FALSE;
  g_autoptr (GString) text = g_string_new (NULL);
  g_string_append_printf (text, "plan %u\n", plan->reads->len);
  for (guint i = 0; i < plan->reads->len; i++)
    append_read (text, &names, tall_read_plan_get (plan, i));
  g_free (self->digest);
  self->digest = compute_digest (table, plan, error);
  return self->digest != NULL && expect (self, text->str, "ready", error);
}

/**
 * tall_peer_reader_run:
 *
 * Fetches everything @n times, one after the other.
 */
gboolean
tall_peer_reader_run (TallPeerReader *self, guint n, GError **error)
{
  g_autofree char *text = g_strdup_printf ("run %u\n", n);
  return expect (self, text, "done", error);
}

/**
 * tall_peer_reader_check:
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED if it has not found what is there
 */
gboolean
tall_peer_reader_check (TallPeerReader *self, GError **error)
{
  return expect (self, "check\n", self->digest, error);
}

/* Its standard input is closed, so it ends. */
void
tall_peer_reader_close (TallPeerReader *self)
{
  if (self->process != NULL)
    {
      g_output_stream_close (self->input, NULL, NULL);
      g_subprocess_wait (self->process, NULL, NULL);
    }
  g_clear_object (&self->output);
  g_clear_object (&self->process);
  g_clear_pointer (&self->program, g_free);
  g_clear_pointer (&self->digest, g_free);
}
