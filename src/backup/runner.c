/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "backup/runner.h"

#include <unistd.h>

#include "backup/private.h"
#include "base/fail.h"

#define MAX_NAME 128
#define NAME_CHARACTERS G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "._-"

struct _TallBackupRunner
{
  TallTable *table; /* owned */
  TallTableAddress *address;
  char *folder;  /* NULL: none was configured */
  gint stopping; /* atomic */

  GMutex mutex;          /* for all below */
  gboolean is_closed;    /* nothing is begun any more */
  GThread *thread;       /* of the last one; NULL: there was none */
  TallBackupState *last; /* owned */
  guint rate;            /* of the last one */
};

void
tall_backup_state_free (TallBackupState *self)
{
  g_free (self->id);
  g_free (self->name);
  tall_backup_summary_clear (&self->summary);
  g_clear_error (&self->error);
  g_free (self);
}

static TallBackupState *
copy_state (const TallBackupState *self)
{
  TallBackupState *copy = g_new (TallBackupState, 1);
  *copy = *self;
  copy->id = g_strdup (self->id);
  copy->name = g_strdup (self->name);
  copy->summary.path = g_strdup (self->summary.path);
  copy->error = self->error != NULL ? g_error_copy (self->error) : NULL;
  return copy;
}

static gboolean
on_progress (const TallBackupProgress *progress, gpointer data)
{
  TallBackupRunner *self = data;
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  self->last->progress = *progress;
  return g_atomic_int_get (&self->stopping) == 0;
}

/* The name and the rate stay while it runs. */
static gpointer
work (gpointer data)
{
  TallBackupRunner *self = data;
  GError *error = NULL;
  TallBackupSummary summary = { 0 };
  const TallBackupHooks hooks = { .rate = self->rate, .on_progress = on_progress, .data = self };
  g_autofree char *target = g_build_filename (self->folder, self->last->name, NULL);
  gboolean done = tall_backup_make (self->table, self->address, target, &hooks, &summary, &error);
  if (done)
    g_message ("backup %s made: %" G_GUINT64_FORMAT " orders, %" G_GUINT64_FORMAT " bytes", target,
               summary.n_orders, summary.n_bytes);
  else
    {
      g_autofree char *why = tall_error_describe (error);
      g_warning ("Backup %s not made: %s", target, why);
    }
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  self->last->is_running = FALSE;
  self->last->summary = summary;
  self->last->error = error;
  return NULL;
}

/* A name that stays in the folder, and is neither hidden nor a temporary one. */
static gboolean
check_name (const char *name, GError **error)
{
  gsize len = strlen (name);
  if (len > 0 && len <= MAX_NAME && strspn (name, NAME_CHARACTERS) == len && *name != '.'
      && *name != '-' && !g_str_has_suffix (name, TALL_BACKUP_UNFINISHED))
    return TRUE;
  return tall_error_fail_invalid (
      error, "name",
      "name: a backup of a server has a name of 1 to %d letters, digits, “.”, “_” and “-”, which "
      "begins with a letter, a digit or “_”: it lies in the folder that the server was given with "
      "--backups",
      MAX_NAME);
}

static gboolean
check_folder (const TallBackupRunner *self, GError **error)
{
  if (self->folder != NULL)
    return TRUE;
  return tall_error_fail (error, TALL_ERROR_UNSUPPORTED,
                          "this server was given no folder for backups: start it with --backups "
                          "DIR, or set backups in its configuration");
}

/* With the mutex held. */
static gboolean
is_running (const TallBackupRunner *self)
{
  return self->last != NULL && self->last->is_running;
}

/* With the mutex held, while nothing runs. */
static gboolean
begin (TallBackupRunner *self, const char *name, guint rate, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_clear_pointer (&self->thread, g_thread_join); /* it has ended but for its last words */
  g_clear_pointer (&self->last, tall_backup_state_free);
  self->last = g_new0 (TallBackupState, 1);
  self->last->id = g_uuid_string_random ();
  self->last->name = g_strdup (name);
  self->last->is_running = TRUE;
  self->rate = rate;
  self->thread = g_thread_try_new ("tall-backup", work, self, &cause);
  if (self->thread != NULL)
    return TRUE;
  g_clear_pointer (&self->last, tall_backup_state_free);
  return tall_error_fail (
      error, TALL_ERROR_OVERLOADED,
      "there is no thread left for the backup; nothing was done, try again later");
}

/* With the mutex held, while one is made. */
static gboolean
join (const TallBackupRunner *self, const char *name, GError **error)
{
  if (g_str_equal (self->last->name, name))
    return TRUE;
  return tall_error_fail (error, TALL_ERROR_CONFLICT,
                          "the server is making another backup, %s: try again when it has ended",
                          self->last->name);
}

/**
 * tall_backup_runner_start:
 * @rate: orders verified a second at most; 0: as fast as it goes
 *
 * Begins a backup, or finds the one of this name that is being made.
 *
 * Returns: (transfer full): how far it is; NULL with %TALL_ERROR_INVALID for another name than one
 *   of the folder, %TALL_ERROR_CONFLICT if another one is being made, %TALL_ERROR_UNSUPPORTED
 *   without a folder
 */
TallBackupState *
tall_backup_runner_start (TallBackupRunner *self, const char *name, guint rate, GError **error)
{
  if (!check_folder (self, error) || !check_name (name, error))
    return NULL;
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  if (self->is_closed)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE, "the server is about to stop");
      return NULL;
    }
  gboolean joined = is_running (self);
  if (!(joined ? join (self, name, error) : begin (self, name, rate, error)))
    return NULL;
  TallBackupState *state = copy_state (self->last);
  state->is_joined = joined;
  return state;
}

/**
 * tall_backup_runner_look:
 * @id: (nullable): of a backup; NULL: the last one
 *
 * Returns: (transfer full): how far it is, or how it has ended; NULL with %TALL_ERROR_NOT_FOUND if
 *   it is not the last one
 */
TallBackupState *
tall_backup_runner_look (TallBackupRunner *self, const char *id, GError **error)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  if (self->last != NULL && (id == NULL || g_str_equal (self->last->id, id)))
    return copy_state (self->last);
  if (id == NULL)
    return g_new0 (TallBackupState, 1);
  g_set_error (error, TALL_ERROR, TALL_ERROR_NOT_FOUND,
               "the server knows nothing of it any more: it was restarted, or another backup has "
               "begun since; its log says how it ended");
  return NULL;
}

/* What would fail with the first backup is said at the beginning. */
static gboolean
check_place (const TallTableAddress *address, const char *folder, GError **error)
{
  if (g_file_test (folder, G_FILE_TEST_IS_DIR) && access (folder, W_OK | X_OK) == 0)
    return tall_backup_check_outside (folder, address, error);
  return tall_error_fail_detailed (
      error, TALL_ERROR_UNAVAILABLE, folder,
      "There is no such folder for backups, or this user may not write there");
}

/**
 * tall_backup_runner_new:
 * @address: of the tables, an embedded store
 * @folder: (nullable): where the backups are made; NULL: none are
 *
 * Returns: (transfer full): NULL with %TALL_ERROR_UNAVAILABLE if nothing can be made in the folder,
 *   %TALL_ERROR_INVALID if it is in that of the store
 */
TallBackupRunner *
tall_backup_runner_new (TallTable *table,
                        const TallTableAddress *address,
                        const char *folder,
                        GError **error)
{
  if (folder != NULL && !check_place (address, folder, error))
    return NULL;
  TallBackupRunner *self = g_new0 (TallBackupRunner, 1);
  self->table = g_object_ref (table);
  self->address = tall_table_address_copy (address);
  self->folder = folder != NULL ? tall_backup_resolve (folder) : NULL;
  g_mutex_init (&self->mutex);
  return self;
}

/**
 * tall_backup_runner_stop:
 *
 * From now on nothing is begun, and what runs ends soon; nothing is left of it.
 */
void
tall_backup_runner_stop (TallBackupRunner *self)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  self->is_closed = TRUE;
  g_atomic_int_set (&self->stopping, 1);
}

/**
 * tall_backup_runner_free:
 * @self: (transfer full): nobody else uses it any more; what runs is stopped and waited for
 */
void
tall_backup_runner_free (TallBackupRunner *self)
{
  tall_backup_runner_stop (self);
  g_clear_pointer (&self->thread, g_thread_join);
  g_clear_pointer (&self->last, tall_backup_state_free);
  g_mutex_clear (&self->mutex);
  g_object_unref (self->table);
  tall_table_address_free (self->address);
  g_free (self->folder);
  g_free (self);
}
