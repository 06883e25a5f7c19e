/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/read/pager.h"

#include "base/fail.h"
#include "model/canonical.h"
#include "tall-listing.h"

void
tall_order_list_free (TallOrderList *self)
{
  if (self == NULL)
    return;
  tall_arena_free (self->arena);
  g_free (self);
}

void
tall_customer_list_free (TallCustomerList *self)
{
  if (self == NULL)
    return;
  tall_arena_free (self->arena);
  g_free (self);
}

/**
 * tall_outcome_clear:
 *
 * Frees what the outcome owns and makes it empty.
 */
void
tall_outcome_clear (TallOutcome *self)
{
  g_clear_pointer (&self->order, tall_order_free);
  g_clear_error (&self->error);
  self->entry = NULL;
  self->revision = 0;
}

/* Leaves the location of that number, or none. */
static gboolean
leave_location (TallOrder *order, gint32 number)
{
  gsize n = 0;
  for (gsize i = 0; i < order->n_shipping_locations; i++)
    if (order->shipping_locations[i]->number == number)
      order->shipping_locations[n++] = order->shipping_locations[i];
  order->n_shipping_locations = n;
  return n > 0;
}

static TallOrderEntry *
make_entry (const TallOrder *order, gint64 revision, TallArena *arena)
{
  TallOrderEntry *entry = tall_arena_new0 (arena, TallOrderEntry);
  entry->order_number = order->order_number;
  entry->revision = revision;
  entry->has_sales_date = order->has_sales_date;
  entry->sales_date = order->sales_date;
  entry->n_lines = tall_order_count_lines (order);
  entry->has_total = tall_order_compute_total (order, &entry->total);
  entry->currency = order->currency;
  return entry;
}

/**
 * tall_outcome_cut:
 * @self: has an order, as much of it as is wanted, or more
 *
 * Takes away what is not wanted, and adds the entry of a summary.
 *
 * Returns: FALSE with %TALL_ERROR_NOT_FOUND if there is no such location
 */
gboolean
tall_outcome_cut (TallOutcome *self, const TallOrderPart *part, GError **error)
{
  TallOrder *order = self->order;
  if (part->kind == TALL_PART_WHOLE)
    return TRUE;
  if (part->kind == TALL_PART_SUMMARY && self->entry == NULL)
    self->entry = make_entry (order, self->revision, tall_order_get_arena (order));
  if (part->kind == TALL_PART_SUMMARY)
    {
      order->n_attributes = order->n_adjustments = 0;
      order->billing_address = NULL;
    }
  gint32 wanted = part->kind == TALL_PART_LOCATION ? part->location : 0;
  if (leave_location (order, wanted) || wanted == 0)
    return TRUE;
  return tall_error_fail (error, TALL_ERROR_NOT_FOUND, "the order has no location %d", wanted);
}

void
tall_customer_orders_free (TallCustomerOrders *self)
{
  if (self == NULL)
    return;
  tall_customer_free (self->customer);
  g_clear_error (&self->customer_error);
  for (guint i = 0; i < self->n_orders; i++)
    tall_outcome_clear (&self->orders[i]);
  g_free (self->orders);
  g_strfreev (self->others);
  g_free (self->next_page);
  g_free (self);
}

void
tall_found_free (TallFound *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->n_orders; i++)
    tall_outcome_clear (&self->orders[i]);
  g_free (self->orders);
  g_free (self->index);
  g_free (self->next_page);
  g_free (self);
}

/* A token is base64url, without padding, of
 *
 *      0         1      2            10        18         n-4
 *     +---------+------+------------+---------+----------+----------+
 *     | version | kind | deployment | listing | position | checksum |
 *     | 1       | 1    | 8          | 8       | any      | 4        |
 *     +---------+------+------------+---------+----------+----------+
 *
 * with the first bytes of MD5s: of the deployment's id; of the customer's number and the range of
 * dates; of all bytes before. A token of version 1 is of the first generation of tables. One of
 * version 2 is of a later one, whose number, 8 bytes, comes before the position. Every version
 * begins with its number and ends with the checksum. Nothing in it is secret, and a forged one
 * gains nothing: a position outside of the listing is not looked for. */
#define VERSION_FIRST 1
#define VERSION_LATER 2
#define FIRST_GENERATION 1
#define GENERATION_SIZE 8
#define DIGEST_SIZE 8
#define CHECKSUM_SIZE 4
#define HEADER_SIZE (2 + 2 * DIGEST_SIZE)
#define MAX_TOKEN 2048 /* characters; the longest, of an entry of eight long texts, has 1,760 */

static void
append_digest (GByteArray *array, TallSlice bytes, gsize size)
{
  guint8 digest[TALL_MD5_SIZE];
  tall_md5 (bytes, digest);
  g_byte_array_append (array, digest, (guint)size);
}

static void
append_listing (const TallPageScope *scope, GByteArray *array)
{
  const TallListOptions *options = scope->options;
  g_autoptr (GByteArray) listing = g_byte_array_new ();

  tall_bytes_append_u8 (listing, options != NULL && options->has_from);
  tall_bytes_append_u64 (listing,
                         options != NULL && options->has_from ? (guint64)options->from : 0);
  tall_bytes_append_u8 (listing, options != NULL && options->has_to);
  tall_bytes_append_u64 (listing, options != NULL && options->has_to ? (guint64)options->to : 0);
  if (scope->customer != NULL)
    tall_bytes_append (listing, tall_slice_str (scope->customer));
  append_digest (array, tall_slice_array (listing), DIGEST_SIZE);
}

static void
append_header (const TallPageScope *scope, GByteArray *array)
{
  gboolean is_first = scope->generation <= FIRST_GENERATION;
  tall_bytes_append_u8 (array, is_first ? VERSION_FIRST : VERSION_LATER);
  tall_bytes_append_u8 (array, scope->kind);
  append_digest (array, tall_slice_str (scope->deployment), DIGEST_SIZE);
  append_listing (scope, array);
  if (!is_first)
    tall_bytes_append_u64 (array, scope->generation);
}

static char *
encode (const GByteArray *bytes)
{
  char *token = g_base64_encode (bytes->data, bytes->len);
  g_strdelimit (token, "+", '-');
  g_strdelimit (token, "/", '_');
  token[strcspn (token, "=")] = '\0';
  return token;
}

/**
 * tall_page_to_token:
 * @position: after which the page begins
 *
 * Returns: (transfer full): a token, of letters, digits, `-` and `_`
 */
char *
tall_page_to_token (const TallPageScope *scope, TallSlice position)
{
  g_autoptr (GByteArray) bytes = g_byte_array_sized_new (256);
  append_header (scope, bytes);
  tall_bytes_append (bytes, position);
  append_digest (bytes, tall_slice_array (bytes), CHECKSUM_SIZE);
  return encode (bytes);
}

/* Returns: (nullable): its bytes, if it is as some version has written it. */
static GByteArray *
decode (const char *token)
{
  gsize len = strlen (token), n;
  if (len > MAX_TOKEN
      || strspn (token, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != len)
    return NULL;

  g_autofree char *padded = g_strconcat (token, &"==="[3 - (4 - len % 4) % 4], NULL);
  g_strdelimit (padded, "-", '+');
  g_strdelimit (padded, "_", '/');
  guint8 *data = g_base64_decode (padded, &n);
  g_autoptr (GByteArray) bytes = g_byte_array_new_take (data, n);
  if (n <= CHECKSUM_SIZE)
    return NULL;

  g_autoptr (GByteArray) checksum = g_byte_array_new ();
  append_digest (checksum, tall_slice (bytes->data, n - CHECKSUM_SIZE), CHECKSUM_SIZE);
  g_autofree char *again = encode (bytes);
  if (memcmp (checksum->data, bytes->data + n - CHECKSUM_SIZE, CHECKSUM_SIZE) != 0
      || !g_str_equal (again, token))
    return NULL;
  return g_steal_pointer (&bytes);
}

/* Of the tables that the position is of; 0 if that is not to be seen. */
static guint64
get_generation (const GByteArray *bytes)
{
  if (bytes->data[0] == VERSION_FIRST && bytes->len >= HEADER_SIZE + CHECKSUM_SIZE)
    return FIRST_GENERATION;
  if (bytes->data[0] != VERSION_LATER || bytes->len < HEADER_SIZE + GENERATION_SIZE + CHECKSUM_SIZE)
    return 0;
  TallReader reader = tall_reader (tall_slice (bytes->data + HEADER_SIZE, GENERATION_SIZE));
  return tall_reader_u64 (&reader);
}

/* @token: anything
 *
 * Returns: the generation of tables that a token is of; 0 if it is not a token */
static guint64
page_get_generation (const char *token)
{
  g_autoptr (GByteArray) bytes = decode (token);
  return bytes != NULL ? get_generation (bytes) : 0;
}

static gboolean
refuse (GError **error, const char *why)
{
  return tall_error_fail_invalid (error, "page", "%s", why);
}

static gboolean
check_header (const TallPageScope *scope, const GByteArray *bytes, GError **error)
{
  g_autoptr (GByteArray) header = g_byte_array_new ();
  append_header (scope, header);

  if (bytes->data[0] > VERSION_LATER)
    return refuse (error, "the page token was made by a newer version of tallorder; begin again "
                          "with the first page, or ask the newer version");
  if (get_generation (bytes) == 0)
    return refuse (error, "this is not a page token; give one as a listing has given it");
  if (memcmp (bytes->data + 2, header->data + 2, DIGEST_SIZE) != 0)
    return refuse (error,
                   "the page token is of another deployment; begin again with the first page");
  if (bytes->data[1] != scope->kind)
    return refuse (error,
                   "the page token is of another kind of listing; begin again with the first page");
  if (memcmp (bytes->data + 2, header->data + 2, HEADER_SIZE - 2) != 0)
    return refuse (error, "the page token is of a listing of another customer or other dates; "
                          "repeat those, or begin again with the first page");
  if (bytes->data[0] != header->data[0]
      || get_generation (bytes) != MAX (scope->generation, FIRST_GENERATION))
    return refuse (error, "the page token was made before the orders moved to other tables; begin "
                          "again with the first page");
  return TRUE;
}

/**
 * tall_page_from_token:
 * @token: anything
 * @position: what is appended to
 *
 * Returns: FALSE with %TALL_ERROR_INVALID, field `page`, if it is not a token, one of a newer
 * version, of another deployment, of another listing, of tables of before: each says so
 */
gboolean
tall_page_from_token (const TallPageScope *scope,
                      const char *token,
                      GByteArray *position,
                      GError **error)
{
  g_autoptr (GByteArray) bytes = decode (token);
  if (bytes == NULL)
    return refuse (error, "this is not a page token; give one as a listing has given it");
  if (!check_header (scope, bytes, error))
    return FALSE;
  guint begin = HEADER_SIZE + (bytes->data[0] == VERSION_LATER ? GENERATION_SIZE : 0);
  g_byte_array_append (position, bytes->data + begin, bytes->len - begin - CHECKSUM_SIZE);
  return TRUE;
}

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
  const TallOperation *operation = self->operation;
  return (TallPageScope){
    .kind = self->kind->token,
    .deployment = operation->context->id,
    .customer = self->search != NULL ? self->search : operation->customer_number,
    .options = self->options,
    .generation = operation->context->generation,
  };
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
 * Returns: FALSE with %TALL_ERROR_INVALID if it is not a token of this listing; one of later tables
 *   shows the operation that it is behind
 */
gboolean
tall_pager_read_token (TallPager *self, GError **error)
{
  TallPageScope scope = get_scope (self);
  if (!tall_pager_has_token (self)
      || tall_page_from_token (&scope, self->options->page, self->last, error))
    return TRUE;
  self->operation->is_behind = page_get_generation (self->options->page) > scope.generation;
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
