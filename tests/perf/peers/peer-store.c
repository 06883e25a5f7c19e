/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "peer-store.h"

#include <sqlite3.h>

#include "model/canonical.h"
#include "tall-error.h"

static const char make_document[] =
    "CREATE TABLE orders (customer TEXT, number TEXT, date INTEGER, n_lines INTEGER,"
    "  total INTEGER, scale INTEGER, document BLOB, PRIMARY KEY (customer, number)) WITHOUT ROWID;"
    "CREATE INDEX by_date ON orders (customer, date, number, n_lines, total, scale);";

static const char make_tables[] =
    "CREATE TABLE orders (customer TEXT, number TEXT, date INTEGER, n_lines INTEGER,"
    "  total INTEGER, scale INTEGER, currency TEXT, PRIMARY KEY (customer, number)) WITHOUT ROWID;"
    "CREATE INDEX by_date ON orders (customer, date, number, n_lines, total, scale);"
    "CREATE TABLE locations (customer TEXT, number TEXT, location INTEGER, name TEXT, line1 TEXT,"
    "  city TEXT, zip TEXT, country TEXT, shipped INTEGER,"
    "  PRIMARY KEY (customer, number, location)) WITHOUT ROWID;"
    "CREATE TABLE lines (customer TEXT, number TEXT, location INTEGER, line INTEGER, item TEXT,"
    "  description TEXT, quantity INTEGER, quantity_scale INTEGER, price INTEGER,"
    "  price_scale INTEGER, discount INTEGER, discount_scale INTEGER,"
    "  PRIMARY KEY (customer, number, location, line)) WITHOUT ROWID;";

typedef enum
{
  BEGIN,
  COMMIT,
  GET,
  LIST,
  PUT,
  PUT_LOCATION,
  PUT_LINE,
  DELETE_LOCATIONS,
  DELETE_LINES,
  N_STATEMENTS,
} Statement;

#define LIST_SQL                                                                                   \
  "SELECT number, date, n_lines, total, scale FROM orders WHERE customer = ?1"                     \
  " ORDER BY date DESC LIMIT ?2"

/* Of both kinds; a document needs no more than its own row. */
static const char *const statements[2][N_STATEMENTS] = {
  {
      [BEGIN] = "BEGIN IMMEDIATE",
      [COMMIT] = "COMMIT",
      [GET] = "SELECT o.date, o.currency, p.location, p.name, p.line1, p.city, p.zip, p.country,"
              "  p.shipped, l.line, l.item, l.description, l.quantity, l.quantity_scale, l.price,"
              "  l.price_scale, l.discount, l.discount_scale"
              " FROM orders o JOIN locations p ON p.customer = o.customer AND p.number = o.number"
              " JOIN lines l ON l.customer = p.customer AND l.number = p.number"
              "  AND l.location = p.location"
              " WHERE o.customer = ?1 AND o.number = ?2 ORDER BY p.location, l.line",
      [LIST] = LIST_SQL,
      [PUT] = "INSERT OR REPLACE INTO orders VALUES (?1,?2,?3,?4,?5,?6,?7)",
      [PUT_LOCATION] = "INSERT INTO locations VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9)",
      [PUT_LINE] = "INSERT INTO lines VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12)",
      [DELETE_LOCATIONS] = "DELETE FROM locations WHERE customer = ?1 AND number = ?2",
      [DELETE_LINES] = "DELETE FROM lines WHERE customer = ?1 AND number = ?2",
  },
  {
      [BEGIN] = "BEGIN IMMEDIATE",
      [COMMIT] = "COMMIT",
      [GET] = "SELECT document FROM orders WHERE customer = ?1 AND number = ?2",
      [LIST] = LIST_SQL,
      [PUT] = "INSERT OR REPLACE INTO orders VALUES (?1,?2,?3,?4,?5,?6,?7)",
  },
};

struct _TallPeerStore
{
  gboolean is_document;
  sqlite3 *db;
  sqlite3_stmt *statements[N_STATEMENTS]; /* owned */
};

static gboolean
fail (const TallPeerStore *self, const char *what, GError **error)
{
  g_set_error (error, TALL_ERROR, TALL_ERROR_INTERNAL, "SQLite, %s: %s", what,
               sqlite3_errmsg (self->db));
  return FALSE;
}

static gboolean
execute (TallPeerStore *self, const char *sql, GError **error)
{
  return sqlite3_exec (self->db, sql, NULL, NULL, NULL) == SQLITE_OK || fail (self, sql, error);
}

static gboolean
prepare (TallPeerStore *self, GError **error)
{
  for (guint i = 0; i < N_STATEMENTS; i++)
    {
      const char *sql = statements[self->is_document][i];
      if (sql != NULL
          && sqlite3_prepare_v3 (self->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &self->statements[i],
                                 NULL)
                 != SQLITE_OK)
        return fail (self, sql, error);
    }
  return TRUE;
}

/**
 * tall_peer_store_open:
 * @path: of a file that is not there yet
 * @sync: whether a write is on disk when the call returns
 *
 * Returns: (transfer full): a new database; NULL with what SQLite says
 */
TallPeerStore *
tall_peer_store_open (const char *path, gboolean is_document, gboolean sync, GError **error)
{
  g_autoptr (TallPeerStore) self = g_new0 (TallPeerStore, 1);
  self->is_document = is_document;
  if (sqlite3_open (path, &self->db) != SQLITE_OK)
    {
      fail (self, path, error);
      return NULL;
    }
  if (execute (self, "PRAGMA journal_mode = WAL", error)
      && execute (self, sync ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL", error)
      && execute (self, "PRAGMA cache_size = -524288", error)
      && execute (self, is_document ? make_document : make_tables, error) && prepare (self, error))
    return g_steal_pointer (&self);
  return NULL;
}

void
tall_peer_store_close (TallPeerStore *self)
{
  for (guint i = 0; i < N_STATEMENTS; i++)
    sqlite3_finalize (self->statements[i]);
  sqlite3_close (self->db);
  g_free (self);
}

/**
 * tall_peer_store_settle:
 *
 * Moves what was written from the log into the database.
 */
gboolean
tall_peer_store_settle (TallPeerStore *self, GError **error)
{
  return execute (self, "PRAGMA wal_checkpoint (TRUNCATE)", error);
}

static void
bind_text (sqlite3_stmt *statement, int at, const char *text)
{
  sqlite3_bind_text (statement, at, text, -1, SQLITE_STATIC);
}

static void
bind_decimal (sqlite3_stmt *statement, int at, TallDecimal decimal)
{
  sqlite3_bind_int64 (statement, at, decimal.unscaled);
  sqlite3_bind_int64 (statement, at + 1, decimal.scale);
}

/* The statement, with the order's key. */
static sqlite3_stmt *
bind_key (TallPeerStore *self, Statement which, const char *customer, const char *number)
{
  sqlite3_stmt *statement = self->statements[which];
  bind_text (statement, 1, customer);
  if (number != NULL)
    bind_text (statement, 2, number);
  return statement;
}

static gboolean
run (TallPeerStore *self, Statement which, GError **error)
{
  sqlite3_stmt *statement = self->statements[which];
  int code = sqlite3_step (statement);
  sqlite3_reset (statement);
  return code == SQLITE_DONE || fail (self, statements[self->is_document][which], error);
}

static gboolean
put_row (TallPeerStore *self, const TallOrder *order, TallArena *arena, GError **error)
{
  sqlite3_stmt *statement = bind_key (self, PUT, order->customer_number, order->order_number);
  TallDecimal total = { 0 };
  sqlite3_bind_int64 (statement, 3, order->sales_date);
  sqlite3_bind_int64 (statement, 4, tall_order_count_lines (order));
  if (tall_order_compute_total (order, &total))
    bind_decimal (statement, 5, total);
  if (self->is_document)
    {
      TallSlice document = tall_order_to_canonical (order, arena);
      sqlite3_bind_blob (statement, 7, document.data, (int)document.len, SQLITE_STATIC);
    }
  else
    bind_text (statement, 7, order->currency);
  return run (self, PUT, error);
}

static gboolean
put_line (TallPeerStore *self,
          const TallOrder *order,
          const TallShippingLocation *location,
          const TallLineItem *line,
          GError **error)
{
  sqlite3_stmt *statement = bind_key (self, PUT_LINE, order->customer_number, order->order_number);
  sqlite3_bind_int64 (statement, 3, location->number);
  sqlite3_bind_int64 (statement, 4, line->number);
  bind_text (statement, 5, line->item_number);
  bind_text (statement, 6, line->description);
  bind_decimal (statement, 7, *line->quantity);
  bind_decimal (statement, 9, *line->price);
  bind_decimal (statement, 11, *line->discount);
  return run (self, PUT_LINE, error);
}

static gboolean
put_location (TallPeerStore *self,
              const TallOrder *order,
              const TallShippingLocation *location,
              GError **error)
{
  sqlite3_stmt *statement =
      bind_key (self, PUT_LOCATION, order->customer_number, order->order_number);
  sqlite3_bind_int64 (statement, 3, location->number);
  bind_text (statement, 4, location->name);
  bind_text (statement, 5, location->address->line1);
  bind_text (statement, 6, location->address->city);
  bind_text (statement, 7, location->address->zip);
  bind_text (statement, 8, location->address->country);
  sqlite3_bind_int64 (statement, 9, location->ship_date);
  if (!run (self, PUT_LOCATION, error))
    return FALSE;
  for (guint i = 0; i < location->n_line_items; i++)
    if (!put_line (self, order, location, location->line_items[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
delete_rows (TallPeerStore *self, const TallOrder *order, GError **error)
{
  bind_key (self, DELETE_LOCATIONS, order->customer_number, order->order_number);
  bind_key (self, DELETE_LINES, order->customer_number, order->order_number);
  return run (self, DELETE_LOCATIONS, error) && run (self, DELETE_LINES, error);
}

static gboolean
put_tables (TallPeerStore *self, const TallOrder *order, gboolean is_new, GError **error)
{
  if ((!is_new && !delete_rows (self, order, error)) || !put_row (self, order, NULL, error))
    return FALSE;
  for (guint i = 0; i < order->n_shipping_locations; i++)
    if (!put_location (self, order, order->shipping_locations[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
put_document (TallPeerStore *self, const TallOrder *order, GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  return put_row (self, order, arena, error);
}

/**
 * tall_peer_store_put:
 * @is_new: whether it cannot be there, which saves looking for its lines
 *
 * Stores an order in one transaction.
 */
gboolean
tall_peer_store_put (TallPeerStore *self, const TallOrder *order, gboolean is_new, GError **error)
{
  if (self->is_document) /* its one statement is a transaction */
    return put_document (self, order, error);
  return run (self, BEGIN, error) && put_tables (self, order, is_new, error)
         && run (self, COMMIT, error);
}

/**
 * tall_peer_store_put_many:
 * @orders: (element-type TallOrder): which cannot be there
 *
 * Stores orders in one transaction.
 */
gboolean
tall_peer_store_put_many (TallPeerStore *self, const GPtrArray *orders, GError **error)
{
  if (!run (self, BEGIN, error))
    return FALSE;
  for (guint i = 0; i < orders->len; i++)
    {
      const TallOrder *order = g_ptr_array_index (orders, i);
      if (!(self->is_document ? put_document (self, order, error)
                              : put_tables (self, order, TRUE, error)))
        return FALSE;
    }
  return run (self, COMMIT, error);
}

static char *
get_text (sqlite3_stmt *statement, int at, TallArena *arena)
{
  return tall_arena_strndup (arena, (const char *)sqlite3_column_text (statement, at),
                             (gsize)sqlite3_column_bytes (statement, at));
}

static TallDecimal
get_decimal (sqlite3_stmt *statement, int at)
{
  return TALL_DECIMAL (sqlite3_column_int64 (statement, at),
                       (guint32)sqlite3_column_int (statement, at + 1));
}

static TallDecimal *
make_decimal (sqlite3_stmt *statement, int at, TallArena *arena)
{
  return tall_decimal_new (arena, sqlite3_column_int64 (statement, at),
                           (guint32)sqlite3_column_int (statement, at + 1));
}

static void
read_line (sqlite3_stmt *statement, TallArena *arena, TallLineItem *line)
{
  line->item_number = get_text (statement, 10, arena);
  line->description = get_text (statement, 11, arena);
  line->quantity = make_decimal (statement, 12, arena);
  line->price = make_decimal (statement, 14, arena);
  line->discount = make_decimal (statement, 16, arena);
}

static void
read_location (sqlite3_stmt *statement, TallArena *arena, TallShippingLocation *location)
{
  TallAddress *address = tall_address_new (arena);
  address->line1 = get_text (statement, 4, arena);
  address->city = get_text (statement, 5, arena);
  address->zip = get_text (statement, 6, arena);
  address->country = get_text (statement, 7, arena);
  location->name = get_text (statement, 3, arena);
  location->address = address;
  location->has_ship_date = TRUE;
  location->ship_date = sqlite3_column_int64 (statement, 8);
}

/* Orders of a #TallWorkload have one location. Its lines come one by one. */
static gboolean
read_rows (TallPeerStore *self, TallOrder *order, GError **error)
{
  sqlite3_stmt *statement = self->statements[GET];
  TallArena *arena = tall_order_get_arena (order);
  TallShippingLocation *location = NULL;
  int code;
  while ((code = sqlite3_step (statement)) == SQLITE_ROW)
    {
      if (location == NULL)
        {
          order->has_sales_date = TRUE;
          order->sales_date = sqlite3_column_int64 (statement, 0);
          order->currency = get_text (statement, 1, arena);
          location = tall_order_add_location (order, sqlite3_column_int (statement, 2));
          read_location (statement, arena, location);
        }
      gint32 number = sqlite3_column_int (statement, 9);
      read_line (statement, arena, tall_location_add_line (location, arena, number));
    }
  return code == SQLITE_DONE || fail (self, "Fetching an order", error);
}

static TallOrder *
read_document (TallPeerStore *self, GError **error)
{
  sqlite3_stmt *statement = self->statements[GET];
  if (sqlite3_step (statement) != SQLITE_ROW)
    {
      fail (self, "Fetching an order", error);
      return NULL;
    }
  return tall_order_from_canonical (tall_slice (sqlite3_column_blob (statement, 0),
                                                (gsize)sqlite3_column_bytes (statement, 0)),
                                    error);
}

/**
 * tall_peer_store_get:
 *
 * Returns: (transfer full): an order that is there, by one statement
 */
TallOrder *
tall_peer_store_get (TallPeerStore *self,
                     const char *customer_number,
                     const char *order_number,
                     GError **error)
{
  sqlite3_stmt *statement = bind_key (self, GET, customer_number, order_number);
  g_autoptr (TallOrder) order = NULL;
  if (self->is_document)
    order = read_document (self, error);
  else
    {
      order = tall_order_new (customer_number, order_number);
      if (!read_rows (self, order, error))
        g_clear_pointer (&order, tall_order_free);
    }
  sqlite3_reset (statement);
  return g_steal_pointer (&order);
}

/**
 * tall_peer_store_list:
 * @entries: (out caller-allocates): the newest orders
 * @n: (inout): how many at most; how many there are
 */
gboolean
tall_peer_store_list (TallPeerStore *self,
                      const char *customer_number,
                      TallPeerEntry *entries,
                      guint *n,
                      GError **error)
{
  sqlite3_stmt *statement = bind_key (self, LIST, customer_number, NULL);
  guint found = 0;
  int code;
  sqlite3_bind_int64 (statement, 2, *n);
  while ((code = sqlite3_step (statement)) == SQLITE_ROW)
    {
      TallPeerEntry *entry = &entries[found++];
      g_strlcpy (entry->number, (const char *)sqlite3_column_text (statement, 0),
                 sizeof entry->number);
      entry->sales_date = sqlite3_column_int64 (statement, 1);
      entry->n_lines = (guint)sqlite3_column_int (statement, 2);
      entry->total = get_decimal (statement, 3);
    }
  sqlite3_reset (statement);
  *n = found;
  return code == SQLITE_DONE || fail (self, "Listing orders", error);
}
