/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/operation.h"

TallFollower *tall_follower_new (TallTable *table,
                                 const TallDeployment *record,
                                 const TallStoreHooks *hooks,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_follower_watch (TallFollower *self);
void tall_follower_free (TallFollower *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallFollower, tall_follower_free)

const TallStoreContext *tall_follower_get_context (TallFollower *self);
TallRecent *tall_follower_get_recent (TallFollower *self);
TallTable *tall_follower_get_table (TallFollower *self);
gboolean tall_follower_check_writable (TallFollower *self,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

TallDeployment *tall_follower_read_record (TallFollower *self,
                                           gint64 deadline,
                                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean tall_follow (TallOperation *operation, GError **error) G_GNUC_WARN_UNUSED_RESULT;
guint tall_follow_count (void);
void tall_follow_end (const TallStoreContext *context, GError **error);
gboolean tall_follow_is_of_tables (const GError *error);
