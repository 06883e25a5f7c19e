/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/operation.h"
#include "tall-bytes.h"
#include "tall-listing.h"

/**
 * TallPageKind:
 *
 * Which listing a page token is of. Never renumbered.
 */
typedef enum
{
  TALL_PAGE_ORDERS = 1,          /* position: the index row after its customer part */
  TALL_PAGE_CUSTOMERS = 2,       /* position: a customer part; and, if that was not the last of
                                    them, how many who have it were given, one byte, and the rest
                                    of the key of the row to go on with */
  TALL_PAGE_CUSTOMER_ORDERS = 3, /* position: an order part */
  TALL_PAGE_FOUND = 4,           /* position: an entry, after what all that are wanted begin with */
} TallPageKind;

/**
 * TallPageScope:
 *
 * What a token is good for: this listing and no other. Nothing is owned.
 */
typedef struct
{
  TallPageKind kind;
  const char *deployment; /* its id */
  const char *customer;   /* number; NULL for TALL_PAGE_CUSTOMERS; or what is looked for */
  const TallListOptions *options;
  guint64 generation; /* of the tables that positions are of */
} TallPageScope;

char *tall_page_to_token (const TallPageScope *scope, TallSlice position);
gboolean tall_page_from_token (const TallPageScope *scope,
                               const char *token,
                               GByteArray *position,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

typedef struct _TallPager TallPager;

/**
 * TallPagerKind:
 *
 * What one listing does differently from the others.
 */
typedef struct
{
  TallPageKind token;
  gsize entry_size;
  gsize most_bytes; /* of a page; the first entry has room even if it is larger */

  /* Of the error if the time is over before the page is full. */
  const char *time_over;
  gboolean may_be_short; /* then there is no error once something is on the page */

  /* Reads once, and takes what is found until there is no more room. Moves @start on; sets @ended
   * when nothing is left. */
  gboolean (*look) (TallPager *self, guint round, GError **error);

  /* The page has taken long: sets @last to what has been looked at, and @more; or does nothing, if
   * no token can name the place. */
  void (*end_early) (TallPager *self);
} TallPagerKind;

/**
 * TallPager:
 *
 * A page of a listing under construction. Each listing has this as the first member of what it
 * needs itself. Rounds of reads fill the page until it is full, nothing is left, or they took long.
 */
struct _TallPager
{
  const TallPagerKind *kind;
  TallOperation *operation;       /* not owned */
  const TallListOptions *options; /* nullable */
  const char *search;             /* not owned; what is looked for; NULL: a customer's, or all */
  guint limit;
  gboolean more;      /* there is something that is not on the page */
  gboolean ended;     /* nothing is left to look at */
  GByteArray *start;  /* owned: where the next round begins */
  GByteArray *last;   /* owned: the position after which the next page begins */
  gsize n_prefix;     /* bytes of @last that are in every position, and so in no token */
  guint n_taken;      /* what has found room */
  gsize n_bytes;      /* that it takes, besides the arena */
  TallArena *arena;   /* owned: of the entries */
  GArray *entries;    /* owned: of what the listing gives */
  GArray *unreadable; /* owned: of TallUnreadable */
};

/**
 * TallPagerContent:
 *
 * What is on a page that is finished.
 */
typedef struct
{
  TallArena *arena; /* owned: of everything below */
  gpointer entries;
  guint n_entries;
  TallUnreadable *unreadable;
  guint n_unreadable;
  char *next_page; /* token; NULL: this is the last page */
} TallPagerContent;

void tall_pager_init (TallPager *self,
                      const TallPagerKind *kind,
                      TallOperation *operation,
                      const TallListOptions *options);
void tall_pager_clear (TallPager *self);

gboolean tall_pager_has_token (const TallPager *self);
gboolean tall_pager_read_token (TallPager *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_pager_fill (TallPager *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
char *tall_pager_make_token (const TallPager *self);
TallPagerContent tall_pager_finish (TallPager *self);

gboolean tall_pager_has_room (TallPager *self);
gboolean tall_pager_take_room (TallPager *self, TallSlice position);
void tall_pager_add_unreadable (TallPager *self,
                                const char *number,
                                const char *what,
                                const GError *error);

gboolean tall_outcome_cut (TallOutcome *self,
                           const TallOrderPart *part,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
