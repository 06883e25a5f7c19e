/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "migrate/access.h"

G_BEGIN_DECLS

#define TALL_ACCESS_TRIES 3 /* of a call whose answer is lost */
#define TALL_ACCESS_MOST_TABLES 8

/**
 * TallAccessTables:
 *
 * The tables of a generation, those with root rows first.
 */
typedef struct
{
  const char *names[TALL_ACCESS_MOST_TABLES]; /* static */
  guint n;
  guint n_roots;
} TallAccessTables;

void tall_access_list_tables (const TallStoreContext *context, TallAccessTables *tables);
gboolean tall_access_set (const TallStoreContext *context,
                          const char *name,
                          TallTableAccess access,
                          const char *seal,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_access_set_all (const TallStoreContext *context,
                              TallTableAccess access,
                              const char *what,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
char *tall_seal_make_token (void);

G_END_DECLS
