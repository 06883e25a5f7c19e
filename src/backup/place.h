/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What a folder is called until all in it is there and synced, after its own name. */
#define TALL_BACKUP_UNFINISHED ".unfinished"

/**
 * TallBackupPlace:
 *
 * Where a folder of files is made that appears as a whole or not at all: under a temporary name
 * beside it. What a killed process has left there is removed by the next one. One process at a time
 * makes a folder.
 */
typedef struct
{
  char *target;     /* absolute */
  char *unfinished; /* the folder with the temporary name */
  char *content;    /* in it: becomes @target; the caller makes it */
  int lock;         /* descriptor of @unfinished; -1: it is not ours */
} TallBackupPlace;

TallBackupPlace *tall_backup_place_open (const char *target,
                                         gboolean may_be_empty,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_backup_place_make_content (TallBackupPlace *self,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_backup_place_publish (TallBackupPlace *self,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_backup_place_free (TallBackupPlace *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallBackupPlace, tall_backup_place_free)

char *tall_backup_resolve (const char *path);
gboolean tall_backup_fail (GError **error, const char *path, int code, const char *message)
    G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
