/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/read/pager.h"

#include "tall-error.h"

/**
 * tall_pager_init:
 * @operation: on the customer, if the listing is of one
 * @options: (nullable): the page
 */
void
tall_pager_init (TallPager *self,
                 const TallPagerKind *kind,
                 TallOperation *operation,
                 const TallListOptions *options)
{
  *self = (TallPager){
    .kind = kind,
    .operation = operation,
    .options = options,
    .limit = options != NULL && options->limit > 0 ? options->limit : TALL_DEFAULT_PAGE,
    .start = g_byte_array_sized_new (64),
    .last = g_byte_array_sized_new (64),
    .arena = tall_arena_new (0),
    .entries = g_array_new (FALSE, TRUE, (guint)kind->entry_size),
    .unreadable = g_array_new (FALSE, TRUE, sizeof (TallUnreadable)),
  };
}

void
tall_pager_clear (TallPager *self)
{
  g_byte_array_unref (self->start);
  g_byte_array_unref (self->last);
  g_clear_pointer (&self->arena, tall_arena_free);
  g_array_unref (self->entries);
  g_array_unref (self->unreadable);
}

static TallPageScope
get_scope (const TallPager *self)
{
  return (TallPageScope){ self->kind->token, self->operation->context->id,
                          self->operation->customer_number, self->options,
                          self->operation->context->generation };
}

/**
 * tall_pager_has_token:
 *
 * Returns: whether a page other than the first is wanted
 */
gboolean
tall_pager_has_token (const TallPager *self)
{
  return self->options != NULL && self->options->page != NULL;
}

/**
 * tall_pager_read_token:
 *
 * Appends to @last the position that the caller's token names. It is empty if there is none.
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if it is no token of this listing; one of later tables
 *   shows the operation that it is behind
 */
gboolean
tall_pager_read_token (TallPager *self, GError **error)
{
  TallPageScope scope = get_scope (self);
  if (!tall_pager_has_token (self)
      || tall_page_from_token (&scope, self->options->page, self->last, error))
    return TRUE;
  self->operation->is_behind = tall_page_get_generation (self->options->page) > scope.generation;
  return FALSE;
}

/* TRUE if what was found until then is a page. */
static gboolean
end_in_time (TallPager *self, GError **error)
{
  self->more = self->kind->may_be_short && self->n_taken > 0;
  if (!self->more)
    g_set_error_literal (error, TALL_ERROR, TALL_ERROR_TIMED_OUT, self->kind->time_over);
  return self->more;
}

/**
 * tall_pager_fill:
 *
 * Looks until the page is full. Where much that was read is not shown, the rounds may take long: a
 * caller that has waited for long gets what was found until then, and the next page goes on from
 * there.
 *
 * Returns: FALSE if the page cannot be filled
 */
gboolean
tall_pager_fill (TallPager *self, GError **error)
{
  gint64 begun = tall_operation_now_monotonic (self->operation);
  for (guint round = 0; !self->more && !self->ended; round++)
    {
      if (tall_operation_is_over (self->operation))
        return end_in_time (self, error);
      if (!self->kind->look (self, round, error))
        return FALSE;
      if (!self->more && !self->ended && tall_operation_has_looked_long (self->operation, begun))
        self->kind->end_early (self);
    }
  return TRUE;
}

/**
 * tall_pager_make_token:
 *
 * Returns: (nullable) (transfer full): the token of the next page; NULL if this is the last
 */
char *
tall_pager_make_token (const TallPager *self)
{
  TallPageScope scope = get_scope (self);
  TallSlice position =
      tall_slice (self->last->data + self->n_prefix, self->last->len - self->n_prefix);
  return self->more ? tall_page_to_token (&scope, position) : NULL;
}

/**
 * tall_pager_finish:
 *
 * Returns: what is on the page; @self has no arena any more
 */
TallPagerContent
tall_pager_finish (TallPager *self)
{
  TallArena *arena = g_steal_pointer (&self->arena);
  g_autofree char *token = tall_pager_make_token (self);
  return (TallPagerContent){
    .arena = arena,
    .entries =
        tall_arena_memdup (arena, self->entries->data, self->entries->len * self->kind->entry_size),
    .n_entries = self->entries->len,
    .unreadable = tall_arena_memdup (arena, self->unreadable->data,
                                     self->unreadable->len * sizeof (TallUnreadable)),
    .n_unreadable = self->unreadable->len,
    .next_page = tall_arena_strdup (arena, token),
  };
}

/**
 * tall_pager_has_room:
 *
 * Returns: whether there is room on the page for one more; without, there is a next page
 */
gboolean
tall_pager_has_room (TallPager *self)
{
  gsize n_bytes = self->n_bytes + tall_arena_get_size (self->arena);
  self->more =
      self->n_taken == self->limit || (self->n_taken > 0 && n_bytes >= self->kind->most_bytes);
  return !self->more;
}

/**
 * tall_pager_take_room:
 * @position: of what the caller is going to add to the page
 *
 * Returns: FALSE if there is no room; else the page goes on after @position
 */
gboolean
tall_pager_take_room (TallPager *self, TallSlice position)
{
  if (!tall_pager_has_room (self))
    return FALSE;
  self->n_taken++;
  tall_bytes_set (self->last, position);
  return TRUE;
}

/**
 * tall_pager_add_unreadable:
 * @number: (nullable): whose it is, as far as that is known
 * @what: what cannot be read, for people
 * @error: why, of which tall_error_is_unreadable() is true
 *
 * Adds that something cannot be read, so that it does not keep the rest from being listed.
 */
void
tall_pager_add_unreadable (TallPager *self,
                           const char *number,
                           const char *what,
                           const GError *error)
{
  TallUnreadable entry = {
    .number = tall_arena_strdup (self->arena, number),
    .code = error->code,
    .message = tall_arena_printf (self->arena, "%s: %s", what, error->message),
  };
  g_array_append_val (self->unreadable, entry);
}
