/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-loads.h"

#include "tall-json.h"
#include "tall-test-files.h"
#include "tall-must.h"

void
tall_test_load_init (TallTestLoad *self, const char *map)
{
  *self = (TallTestLoad){ .map = map,
                          .files = tall_load_files_new (),
                          .options = TALL_LOAD_OPTIONS_INIT,
                          .rejects = tall_rejects_new (NULL, NULL) };
  self->options.retry_delay = 1;
}

void
tall_test_load_clear (TallTestLoad *self)
{
  g_clear_pointer (&self->files, tall_load_files_free);
  g_clear_pointer (&self->rejects, tall_rejects_free);
  g_clear_error (&self->error);
}

void
tall_test_load_add (TallTestLoad *self, const char *kind, const char *text, gssize len)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = tall_test_write_file (text, len);
  gboolean is_sql = strstr (self->map, "SELECT ") != NULL;
  g_autoptr (TallMapping) mapping = is_sql ? tall_mapping_parse_sql ("m.sql", self->map, -1, &error)
                                           : tall_mapping_parse ("m", self->map, -1, &error);
  g_assert_no_error (error);
  mapping->across_files = TRUE;
  g_assert_true (!is_sql || tall_mapping_take_kind (mapping, kind, &error));
  g_autoptr (TallCsvReader) reader =
      must (tall_csv_reader_open (path, &mapping->dialect, TALL_CSV_MAX_ROW, &error));
  g_remove (path);
  g_assert_true (is_sql || tall_mapping_bind_reader (mapping, reader, &error));
  g_assert_no_error (error);
  TallLoadFile *file =
      tall_load_files_add (self->files, g_steal_pointer (&reader), g_steal_pointer (&mapping));
  file->kind_name = is_sql ? g_intern_string (kind) : NULL;
}

/* A query makes other rows of those of the files: each of these is used, left out, looked up, or
 * unreadable, and each of those has an end. */
static void
assert_query_sums (const TallTestLoad *self, gboolean is_whole)
{
  guint64 ended = tall_rejects_get_count (self->rejects) - self->summary.bad_rows;
  for (guint i = 0; i < tall_load_files_count (self->files) && is_whole; i++)
    {
      const TallLoadFile *file = tall_load_files_get (self->files, i);
      g_assert_cmpuint (file->n_used + file->n_left_out + file->n_kept + file->n_bad, ==,
                        file->n_rows);
    }
  for (guint end = 0; end < TALL_LOAD_N_ENDS; end++)
    ended += self->summary.ends[end].rows;
  g_assert_cmpuint (ended, <=, self->summary.result_rows);
  g_assert_true (!is_whole || ended == self->summary.result_rows);
}

static void
assert_sums (const TallTestLoad *self, gboolean is_whole)
{
  TallLoadFile all = { NULL };
  guint64 rejected = 0;
  for (guint i = 0; i < tall_load_files_count (self->files); i++)
    {
      const TallLoadFile *file = tall_load_files_get (self->files, i);
      guint64 settled =
          tall_load_file_count_settled (file, tall_rejects_get_count_of (self->rejects, i));
      g_assert_cmpuint (settled, <=, file->n_rows);
      g_assert_true (!is_whole || settled == file->n_rows);
      all.n_rows += file->n_rows;
      all.n_kept += file->n_kept;
      rejected += tall_rejects_get_count_of (self->rejects, i);
      for (guint end = 0; end < TALL_LOAD_N_ENDS; end++)
        all.n_ended[end] += file->n_ended[end];
    }
  g_assert_cmpuint (all.n_rows, ==, self->summary.rows);
  g_assert_cmpuint (all.n_kept, ==, self->summary.kept_rows);
  g_assert_cmpuint (rejected, ==, tall_rejects_get_count (self->rejects));
  for (guint end = 0; end < TALL_LOAD_N_ENDS; end++)
    g_assert_cmpuint (all.n_ended[end], ==, self->summary.ends[end].rows);
}

gboolean
tall_test_load_run (TallTestLoad *self, TallFaultyFront *front)
{
  g_autoptr (TallQuery) query = NULL;
  tall_load_files_start (self->files);
  if (tall_load_files_get (self->files, 0)->mapping->sql != NULL)
    {
      query = tall_query_new (self->files, NULL, &self->error);
      if (query == NULL)
        return FALSE;
      self->options.query = query;
    }
  gboolean ok = tall_load (front != NULL ? TALL_FRONT (front) : NULL, self->files, self->rejects,
                           &self->options, &self->summary, &self->error);
  if (query != NULL)
    assert_query_sums (self, ok);
  else
    assert_sums (self, ok);
  return ok;
}

char *
tall_test_load_get_json (TallFaultyFront *front, const char *customer, const char *order)
{
  g_autoptr (TallOrder) stored =
      tall_front_get_order (TALL_FRONT (front), customer, order, NULL, NULL);
  return stored != NULL ? tall_order_to_json (stored, FALSE) : NULL;
}

void
tall_test_load_shuffle (GPtrArray *rows, GRand *rand)
{
  for (guint i = rows->len; i > 1; i--)
    {
      guint k = (guint)g_rand_int_range (rand, 0, (gint)i);
      gpointer row = rows->pdata[i - 1];
      rows->pdata[i - 1] = rows->pdata[k];
      rows->pdata[k] = row;
    }
}
