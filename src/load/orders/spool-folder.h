/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * TallSpoolFolder:
 *
 * A folder for temporary files of this process, which goes with it: at the end, or, after a
 * process that was killed, when the next one makes such a folder in the same place. A lock on the
 * folder, which goes with the process however that ends, says that it is in use.
 */
typedef struct _TallSpoolFolder TallSpoolFolder;

TallSpoolFolder *tall_spool_folder_new (const char *parent,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_spool_folder_free (TallSpoolFolder *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallSpoolFolder, tall_spool_folder_free)

const char *tall_spool_folder_get_path (const TallSpoolFolder *self);

G_END_DECLS
