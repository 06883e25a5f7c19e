/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/command.h"
#include "tall-listing.h"

G_BEGIN_DECLS

/**
 * TallPaging:
 *
 * Which pages of a listing are printed: the options `--limit`, `--page` and `--all`, and for
 * listings by date `--from` and `--to`.
 */
typedef struct
{
  char *from;
  char *to;
  gint limit;
  char *page;
  gboolean all;
  char **argv; /* of the command, for the command line of the next page; not owned */
} TallPaging;

#define TALL_PAGING_INIT                                                                           \
  {                                                                                                \
    NULL, NULL, G_MININT, NULL, FALSE, NULL                                                        \
  }

/* The options as entries of a command. */
#define TALL_PAGING_ENTRIES(paging)                                                                \
  { "limit", 0, 0, G_OPTION_ARG_INT, &(paging)->limit, "entries of a page (default 30)", "N" },    \
      { "page", 0, 0, G_OPTION_ARG_FILENAME, &(paging)->page, "a later page", "TOKEN" },           \
  {                                                                                                \
    "all", 0, 0, G_OPTION_ARG_NONE, &(paging)->all, "all pages, one after the other", NULL         \
  }
#define TALL_DATE_ENTRIES(paging)                                                                  \
  { "from", 0, 0, G_OPTION_ARG_FILENAME, &(paging)->from, "first date that is listed", "DATE" },   \
  {                                                                                                \
    "to", 0, 0, G_OPTION_ARG_FILENAME, &(paging)->to, "first date that is no longer listed",       \
        "DATE"                                                                                     \
  }

void tall_paging_clear (TallPaging *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallPaging, tall_paging_clear)

gboolean tall_paging_check (const TallPaging *self,
                            TallListOptions *options,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_paging_turn (const TallPaging *self,
                           TallListOptions *options,
                           char **page,
                           const char *next_page);
void tall_paging_print_next (const TallPaging *self, const char *next_page);
TallExit tall_paging_fail (const TallCommand *command, const GError *error);

G_END_DECLS
