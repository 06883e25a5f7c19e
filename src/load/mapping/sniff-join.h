/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/mapping/sniff-files.h"

G_BEGIN_DECLS

gboolean tall_sniff_join_find (GPtrArray *files, GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallSample *tall_sniff_join_make_sample (const GPtrArray *files);

G_END_DECLS
