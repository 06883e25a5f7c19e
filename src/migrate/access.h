/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/context.h"

G_BEGIN_DECLS

/**
 * TallAccess:
 *
 * What the tables of a generation let everybody do, as they are described.
 */
typedef struct
{
  gboolean all_open;   /* nothing is sealed or closed, and all are there */
  gboolean any_closed; /* or gone */
  gboolean all_closed; /* or gone */
  gboolean all_gone;
  gboolean any_gone;
  gboolean is_sealed; /* all tables with root rows that are there */
  char *common_seal;  /* owned: the token of all of these; NULL: they have none, or several */
} TallAccess;

void tall_access_clear (TallAccess *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallAccess, tall_access_clear)

gboolean tall_access_describe (const TallStoreContext *context,
                               TallAccess *access,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_access_seal (const TallStoreContext *context,
                           char **seal,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_access_set (const TallStoreContext *context,
                          TallTableAccess access,
                          const char *what,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
