/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-mix.h"
#include "tall-target.h"

G_BEGIN_DECLS

/**
 * TallMender:
 *
 * A thread that verifies everything beside the mix, again and again.
 */
typedef struct _TallMender TallMender;

/**
 * TallMenderWay:
 * @TALL_MENDER_REPORT: it waits as long as users do. Nothing false may be found: what was found is
 *   a hint of a put that was refused, or was left by a writer that was late
 * @TALL_MENDER_HASTY: the same, but it does not wait: that is wrong, and has to be noticed
 * @TALL_MENDER_REPAIR: it mends what it finds, and does not wait whether somebody is writing it
 */
typedef enum
{
  TALL_MENDER_REPORT,
  TALL_MENDER_HASTY,
  TALL_MENDER_REPAIR,
} TallMenderWay;

gboolean tall_mender_parse_way (const char *name, TallMenderWay *way) G_GNUC_WARN_UNUSED_RESULT;
TallMender *tall_mender_start (const TallMixOptions *mix, TallWriter *writer, TallMenderWay way);
void tall_mender_stop (TallMender *self);
gboolean tall_mender_finish (TallMender *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_mender_free (TallMender *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallMender, tall_mender_free)

G_END_DECLS
