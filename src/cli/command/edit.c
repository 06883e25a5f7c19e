/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/show.h"
#include "tall-error.h"
#include "tall-json.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_FILE (16 * 1024 * 1024) /* bytes; more than any order takes */
#define MAX_SHOWN 30                /* lines of a side */

typedef struct
{
  TallOptions options;
  char *path; /* of what is edited; NULL: it is not there, or not any more */
  char *text; /* as it was written there */
  char *json; /* the order as it was fetched */
  gint64 revision;
} Edit;

static void
edit_clear (Edit *self)
{
  tall_options_clear (&self->options);
  g_clear_pointer (&self->path, g_free);
  g_clear_pointer (&self->text, g_free);
  g_clear_pointer (&self->json, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Edit, edit_clear)

static void
remove_file (Edit *self)
{
  unlink (self->path);
  g_clear_pointer (&self->path, g_free);
}

/* Returns: (transfer full) (nullable): the order; NULL with @code, and a message printed. An
 * embedded store is not held open while people think. */
static TallOrder *
fetch (Edit *self, gint64 *revision, TallExit *code)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallFront) front = tall_options_open_front (&self->options, &tall_command_edit, code);
  if (front == NULL)
    return NULL;
  const TallOrderId *id = &self->options.order;
  TallOrder *order =
      tall_options_find_order (&self->options, &tall_command_edit, front, &error)
          ? tall_front_get_order (front, id->customer_number, id->order_number, revision, &error)
          : NULL;
  if (order == NULL)
    *code = tall_fail (error);
  return order;
}

/* ---- The editor ---- */

static gboolean
write_file (Edit *self, GError **error)
{
  int fd = g_file_open_tmp ("tallorder-XXXXXX.json", &self->path, error);
  if (fd < 0)
    return FALSE;
  close (fd);
  return g_file_set_contents (self->path, self->text, -1, error);
}

/* `$EDITOR` may have arguments. */
static gboolean
run_editor (const Edit *self, GError **error)
{
  const char *editor = g_getenv ("VISUAL");
  if (editor == NULL || editor[0] == '\0')
    editor = g_getenv ("EDITOR");
  if (editor == NULL || editor[0] == '\0')
    editor = "vi";
  g_autofree char *script = g_strconcat (editor, " \"$1\"", NULL);
  const char *const argv[] = { "/bin/sh", "-c", script, "sh", self->path, NULL };
  int status;
  tall_output_flush ();
  return g_spawn_sync (NULL, (char **)argv, NULL, G_SPAWN_CHILD_INHERITS_STDIN, NULL, NULL, NULL,
                       NULL, &status, error)
         && g_spawn_check_wait_status (status, error);
}

static void
remove_file_unless_edited (Edit *self)
{
  g_autofree char *text = tall_file_read (self->path, MAX_FILE, NULL, NULL);
  if (g_strcmp0 (text, self->text) == 0)
    remove_file (self);
}

/* Returns: (nullable): what was made of it; NULL with what is wrong */
static TallOrder *
read_file (const Edit *self, char **text, GError **error)
{
  *text = tall_file_read (self->path, MAX_FILE, NULL, error);
  g_autoptr (TallOrder) order = *text != NULL ? tall_order_from_json (*text, -1, error) : NULL;
  if (order == NULL)
    return NULL;
  if (g_str_equal (order->customer_number, self->options.order.customer_number)
      && g_str_equal (order->order_number, self->options.order.order_number))
    return g_steal_pointer (&order);
  tall_error_set_invalid (
      error, "order_number",
      "this is order %s of %s now; the numbers say which order it is, and cannot be changed",
      order->order_number, order->customer_number);
  return NULL;
}

/* After something that editing can mend. */
static gboolean
ask_again (const GError *error)
{
  char answer[16];
  tall_print_failure (error);
  tall_output_flush ();
  fputs ("Edit again? [Y/n] ", stderr);
  fflush (stderr);
  if (fgets (answer, sizeof answer, stdin) != NULL)
    return strchr ("\nyY", answer[0]) != NULL;
  fputs ("\n", stderr);
  return FALSE;
}

/* ---- Both sides ---- */

static void
print_lines (GStrv lines, guint begin, guint end, char mark)
{
  for (guint i = begin; i < end && i - begin < MAX_SHOWN; i++)
    tall_print ("  %c %s\n", mark, lines[i]);
  if (end - begin > MAX_SHOWN)
    tall_print ("  %c … and %u more lines\n", mark, end - begin - MAX_SHOWN);
}

/* The lines between those that both begin with, and those that both end with. */
static void
print_difference (const char *title, const char *before, const char *after)
{
  g_auto (GStrv) old = g_strsplit (before, "\n", -1);
  g_auto (GStrv) new = g_strsplit (after, "\n", -1);
  guint n_old = g_strv_length (old), n_new = g_strv_length (new);
  guint begin = 0;
  while (begin < MIN (n_old, n_new) && g_str_equal (old[begin], new[begin]))
    begin++;
  while (MIN (n_old, n_new) > begin && g_str_equal (old[n_old - 1], new[n_new - 1]))
    {
      n_old--;
      n_new--;
    }
  tall_print ("%s:\n", title);
  print_lines (old, begin, n_old, '-');
  print_lines (new, begin, n_new, '+');
}

static TallExit
show_conflict (Edit *self, const TallOrder *edited)
{
  TallExit code;
  gint64 revision;
  g_autofree char *ours = tall_order_to_json (edited, TRUE);
  g_autoptr (TallOrder) stored = fetch (self, &revision, &code);
  if (stored != NULL)
    {
      g_autofree char *theirs = tall_order_to_json (stored, TRUE);
      g_autofree char *title =
          g_strdup_printf ("Changed by others, revision %" G_GINT64_FORMAT, revision);
      print_difference (title, self->json, theirs);
      print_difference ("Changed by you, not stored", self->json, ours);
    }
  gboolean is_served = self->options.server != NULL;
  g_autofree char *place = g_shell_quote (is_served ? self->options.server : self->options.store);
  return tall_fail_saying (TALL_EXIT_NO,
                           "Others have changed the order while you did: edit it again, or replace "
                           "theirs by: tallorder put --force --%s %s %s",
                           is_served ? "server" : "store", place, self->path);
}

/* ---- The command ---- */

static TallExit
store (Edit *self, TallOrder *edited, GError **error)
{
  TallExit code;
  gint64 revision;
  TallWriteOptions write = { .condition = TALL_IF_REVISION, .revision = self->revision };
  g_autoptr (TallFront) front = tall_options_open_front (&self->options, &tall_command_edit, &code);
  if (front == NULL)
    return code;
  if (!tall_front_put_order (front, edited, &write, &revision, error))
    return TALL_EXIT_FAILED;
  tall_print ("Stored order %s of %s, revision %" G_GINT64_FORMAT "\n", edited->order_number,
              edited->customer_number, revision);
  tall_show_warn_of_adjustments (edited);
  remove_file (self);
  return TALL_EXIT_DONE;
}

/* One turn with the editor. @again: (out): whether another one follows */
static TallExit
edit_once (Edit *self, gboolean *again)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  *again = FALSE;
  if (!run_editor (self, &error))
    {
      g_prefix_error (&error, "The editor failed, and nothing is stored: ");
      remove_file_unless_edited (self);
      return tall_fail (error);
    }
  g_autoptr (TallOrder) edited = read_file (self, &text, &error);
  if (text != NULL && g_str_equal (text, self->text))
    {
      tall_print ("Nothing is changed\n");
      remove_file (self);
      return TALL_EXIT_DONE;
    }
  TallExit code = edited != NULL ? store (self, edited, &error) : TALL_EXIT_FAILED;
  if (g_error_matches (error, TALL_ERROR, TALL_ERROR_CONFLICT))
    return show_conflict (self, edited);
  if (g_error_matches (error, TALL_ERROR, TALL_ERROR_INVALID)
      || g_error_matches (error, TALL_ERROR, TALL_ERROR_TOO_LARGE))
    {
      *again = ask_again (error);
      return TALL_EXIT_NO;
    }
  if (error != NULL)
    tall_print_failure (error);
  return code;
}

static TallExit
edit (Edit *self)
{
  g_autoptr (GError) error = NULL;
  TallExit code;
  g_autoptr (TallOrder) order = fetch (self, &self->revision, &code);
  if (order == NULL)
    return code;
  self->json = tall_order_to_json (order, TRUE);
  g_autofree char *whole = tall_json_add_revision (self->json, self->revision);
  self->text = g_strconcat (whole, "\n", NULL);
  if (!write_file (self, &error))
    return tall_fail (error);

  gboolean again = TRUE;
  while (again)
    code = edit_once (self, &again);
  if (self->path != NULL && g_file_test (self->path, G_FILE_TEST_EXISTS))
    tall_print_error ("What was edited is kept in %s", self->path);
  return code;
}

static TallExit
run (int argc, char **argv)
{
  g_auto (Edit) self = { .options = TALL_OPTIONS_INIT };
  g_autoptr (GError) error = NULL;
  const GOptionEntry entries[] = { TALL_ORDER_ENTRY (&self.options), { NULL } };
  if (!tall_options_parse (&self.options, &tall_command_edit, entries, argc, argv, &error)
      || !tall_options_take_order (&self.options, &tall_command_edit, 0, &error))
    return tall_call_error (&tall_command_edit, error);
  return edit (&self);
}

const TallCommand tall_command_edit = {
  .name = "edit",
  .arguments = "CUSTOMER ORDER|--order ORDER",
  .summary = "Opens an order in an editor, and stores what was made of it.",
  .help =
      "The order is opened as JSON in $VISUAL, $EDITOR or vi. It is stored if nobody else has\n"
      "changed it meanwhile; otherwise both sides are shown, and the edited file is kept. What\n"
      "is not JSON, or not an order, can be edited again. An embedded store is free for others\n"
      "while the editor is open.\n\n"
      "Example:\n"
      "  tallorder edit --store rocksdb:shop VINET 10248\n"
      "  tallorder edit --store rocksdb:shop --order 10248",
  .takes_server = TRUE,
  .run = run,
};
