/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "floor-run.h"
#include "load/store/loader.h"

G_BEGIN_DECLS

/* What is measured with the file that is loaded. */
typedef gboolean (*TallFloorLoadWork) (TallFloorRun *self, const char *folder, GError **error);

gboolean tall_floor_load_with_file (TallFloorRun *self,
                                    TallFloorLoadWork work,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
char *tall_floor_load_name_file (const char *folder);
gboolean tall_floor_load_file (const TallFloorRun *run,
                               const char *folder,
                               TallFront *front,
                               gboolean assume_new,
                               TallLoadSummary *summary,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_floor_load_check (const char *what, guint64 found, guint64 wanted, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
