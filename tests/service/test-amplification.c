/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* No call takes more memory than the service reserves for it. Every layout is asked for the orders
 * that are the hardest on memory: each kind about as large as an order may be. */
#include "service/access/memory.h"
#include "service/calls/calls.h"
#include "model/canonical.h"
#include "tall-error.h"
#include "tall-limits.h"
#include "service/server/session.h"
#include "tall-heap.h"
#include "wire/connection.h"
#include "tall-test-directory.h"
#include "tall-test-orders.h"
#include "tall-test-store.h"
#include "tall-must.h"

#define MIB ((gsize)1024 * 1024)
#define CUSTOMER "VINET"
#define NUMBER "10248"

/* Orders that a layout makes larger than this fill RocksDB's write buffers. */
#define WRITE_BUFFER (8 * 1024 * 1024)
#define LOOK (5 * 1000) /* µs from one look at RocksDB to the next */
#define QUIET_LOOKS 20  /* one after the other, until what it has still to begin has begun */

typedef TallOrder *(*MakeFunc) (void);

static char *
fill (TallOrder *order, gsize len)
{
  char *text = tall_arena_alloc (tall_order_get_arena (order), len + 1);
  memset (text, 'x', len);
  text[len] = '\0';
  return text;
}

static TallOrder *
begin (guint n_locations, guint n_lines)
{
  TallOrder *order = tall_test_empty_order (CUSTOMER, NUMBER, n_locations);
  for (guint i = 0; i < n_locations; i++)
    tall_test_add_lines (order, i, (gint32)(1 + i * n_lines), n_lines);
  return order;
}

static TallOrder *
make_small (void)
{
  return begin (1, 5);
}

static TallOrder *
make_lines (void)
{
  TallOrder *order = begin (1, 9999);
  char *text = fill (order, 94);
  for (guint i = 0; i < 9999; i++)
    order->shipping_locations[0]->line_items[i]->description = text;
  return order;
}

static TallOrder *
make_empty_lines (void)
{
  TallOrder *order = tall_test_empty_order (CUSTOMER, NUMBER, 1);
  tall_test_add_lines (order, 0, 1, 9999);
  return order;
}

static void
name_items (TallOrder *order, const char *name)
{
  for (guint i = 0; i < order->n_shipping_locations; i++)
    for (guint j = 0; j < order->shipping_locations[i]->n_line_items; j++)
      {
        TallLineItem *line = order->shipping_locations[i]->line_items[j];
        if (line->item_number != NULL)
          line->item_number =
              tall_arena_printf (tall_order_get_arena (order), "%s item %u", name, j);
      }
}

/* Each line has an entry of its own. */
static TallOrder *
make_items (void)
{
  static char any[] = "";
  TallOrder *order = begin (1, 9999);
  for (guint i = 0; i < 9999; i++)
    order->shipping_locations[0]->line_items[i]->item_number = any;
  name_items (order, "some");
  return order;
}

static TallOrder *
make_locations (void)
{
  TallOrder *order = begin (5000, 1);
  char *text = fill (order, 54);
  for (guint i = 0; i < 5000; i++)
    {
      TallAddress *address = tall_address_new (tall_order_get_arena (order));
      address->line1 = address->line2 = address->city = text;
      order->shipping_locations[i]->address = address;
    }
  return order;
}

static TallOrder *
make_text (void)
{
  TallOrder *order = begin (1, 1);
  order->shipping_locations[0]->line_items[0]->description = fill (order, 1024 * 1024 - 100);
  return order;
}

static TallOrder *
make_attributes (void)
{
  enum
  {
    N = 100000
  };
  TallOrder *order = begin (1, 1);
  for (guint i = 0; i < N; i++)
    {
      g_autofree char *key = g_strdup_printf ("%x", i);
      tall_order_add_attribute (order, key, "");
    }
  return order;
}

static TallOrder *
make_adjustments (void)
{
  TallOrder *order = begin (0, 0);
  for (guint i = 0; i < 10000; i++)
    tall_order_add_adjustment (order, "x", i, 2)->description = fill (order, 80);
  return order;
}

/* One address for all lines: the denormalized layout writes it beside each. */
static TallOrder *
make_address (void)
{
  TallOrder *order = begin (1, 9999);
  TallAddress *address = tall_address_new (tall_order_get_arena (order));
  address->line1 = fill (order, 4000);
  order->shipping_locations[0]->address = address;
  return order;
}

/* The same by a name, as much as is stored. */
static TallOrder *
make_name (void)
{
  TallOrder *order = begin (1, 100);
  order->shipping_locations[0]->name = fill (order, 480 * 1024);
  return order;
}

static const struct
{
  const char *name;
  MakeFunc make;
} kinds[] = {
  { "small", make_small },
  { "lines", make_lines },
  { "empty-lines", make_empty_lines },
  { "locations", make_locations },
  { "text", make_text },
  { "attributes", make_attributes },
  { "adjustments", make_adjustments },
  { "address", make_address },
  { "name", make_name },
  { "items", make_items },
};

typedef struct
{
  const TallLayout *layout;
  MakeFunc make;
} Case;

typedef struct
{
  char *directory;
  TallTable *table;
  TallFront *front;
  TallMemory memory;
} Fixture;

static void
set_up (Fixture *self, gconstpointer data)
{
  const TallLayout *layout = ((const Case *)data)->layout;
  self->directory = tall_test_directory_new ();
  self->table = tall_test_open_table (self->directory);
  const TallStoreSettings settings = { .layout = layout,
                                       .key_strategy = &tall_key_hashed,
                                       .indexes = "number=order_number\nitem=line.item_number" };
  must (tall_store_create (self->table, &settings, &error));
  self->front = TALL_FRONT (tall_test_open (self->table, NULL));
  tall_memory_init (&self->memory, 512 * 1024 * 1024, tall_front_measure_order (self->front, NULL));
}

static void
tear_down (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_object_unref (self->front);
  g_object_unref (self->table);
  tall_memory_clear (&self->memory);
  tall_test_directory_remove (self->directory);
  g_free (self->directory);
}

static TallTransport *
encode (const TallIdlCall *call, const TallIdlArgs *args)
{
  TallWireOptions options = TALL_WIRE_OPTIONS_INIT;
  options.side = TALL_WIRE_SERVER;
  g_autoptr (TallTransport) transport =
      tall_transport_new_memory ((TallSlice)TALL_SLICE_INIT, &options);
  must (tall_message_write_call (call->name, transport, call->args, args, &error));
  return tall_transport_new_memory (tall_transport_get_output (transport), &options);
}

/* Returns: bytes that the call took at most, without its frame */
static gsize
run (Fixture *self, const TallIdlCall *call, const TallIdlArgs *args)
{
  g_autoptr (TallTransport) transport = encode (call, args);
  g_autoptr (GError) error = NULL;
  TallCallMemory memory;
  TallGate gate;
  tall_gate_init (&gate, NULL, NULL);
  TallVisitor visitor = { .gate = &gate, .is_local = TRUE };

  const TallHandler handler = { .front = self->front, .visitor = &visitor };
  tall_heap_begin ();
  tall_call_memory_init (&memory, &self->memory, NULL, 0);
  g_assert_true (tall_call_memory_begin (&memory, tall_transport_get_remaining (transport)));
  TallAnswer answer = tall_handler_answer (&handler, &memory, transport, &error);
  gsize size = tall_heap_end ();
  tall_gate_clear (&gate);
  g_assert_no_error (error);
  g_assert_cmpint (answer, ==, TALL_ANSWER_GIVEN);
  if (call == TALL_CALL (get_orders) || call == TALL_CALL (get_customer_orders)
      || call == TALL_CALL (find_orders))
    g_assert_cmpuint (memory.settled, >=, tall_transport_get_output (transport).len / 2);
  tall_call_memory_end (&memory);
  return size + tall_transport_get_output (transport).len;
}

static gboolean
is_quiet (TallTable *table)
{
  g_autoptr (GArray) measures = tall_table_list_measures (table);
  gdouble n_running = 0;
  for (guint i = 0; i < measures->len; i++)
    {
      const TallTableMeasure *measure = &g_array_index (measures, TallTableMeasure, i);
      if (g_str_has_prefix (measure->name, "running_"))
        n_running += measure->value;
    }
  return n_running == 0;
}

/* What RocksDB does with an order in its background is not a part of the calls that follow. */
static void
settle (Fixture *self)
{
  for (guint n_quiet = 0; n_quiet < QUIET_LOOKS; n_quiet++)
    {
      if (!is_quiet (self->table))
        n_quiet = 0;
      g_usleep (LOOK);
    }
}

/* What is written in great amounts goes through RocksDB's write buffers, which come and go. */
static void
check (Fixture *self, const Case *test, const TallOrder *order, const char *call, gsize size)
{
  gboolean is_get = g_str_has_prefix (call, "get");
  gsize most = is_get ? test->layout->most_memory : tall_front_measure_order (self->front, NULL);
  g_test_message ("%s: %.2f MiB", call, (gdouble)size / 1024 / 1024);
  if (tall_order_count_repeated (order) < WRITE_BUFFER || is_get)
    g_assert_cmpuint (size, <=, most);
}

static void
test_order (Fixture *self, gconstpointer data)
{
  const Case *test = data;
  g_autoptr (TallOrder) order = test->make ();
  must (tall_order_normalize (order, &error));

  TallOrderId id = { CUSTOMER, NUMBER };
  TallIdlMany many = { .ids = &id, .n_ids = 1 };
  TallIdlListing listing = { .customer_number = (char *)CUSTOMER, .limit = 1, .has_limit = TRUE };
  char field[] = "order_number=" NUMBER, *values[] = { field };
  TallIdlListing search = { .values = values, .n_values = 1, .limit = 1, .has_limit = TRUE };
  TallIdlArgs put = { .order = order };
  TallIdlArgs get = { .customer_number = (char *)CUSTOMER, .order_number = (char *)NUMBER };
  TallIdlArgs get_many = { .request = &many }, get_all = { .request = &listing };
  TallIdlArgs find = { .request = &search };
  check (self, test, order, "put", run (self, TALL_CALL (put_order), &put));
  settle (self);
  check (self, test, order, "get", run (self, TALL_CALL (get_order), &get));
  check (self, test, order, "get many", run (self, TALL_CALL (get_orders), &get_many));
  check (self, test, order, "get all", run (self, TALL_CALL (get_customer_orders), &get_all));
  check (self, test, order, "get by find", run (self, TALL_CALL (find_orders), &find));
  name_items (order, "another"); /* whose entries come, and the others go */
  check (self, test, order, "replace", run (self, TALL_CALL (put_order), &put));
  check (self, test, order, "delete", run (self, TALL_CALL (delete_order), &get));
}

/* Returns: bytes that reading takes at most */
static gsize
read_cell (TallSlice bytes)
{
  tall_heap_begin ();
  g_autoptr (TallOrder) order = tall_order_from_canonical (bytes, NULL);
  g_clear_pointer (&order, tall_order_free);
  g_autoptr (TallCustomer) customer = tall_customer_from_canonical (bytes, NULL);
  g_clear_pointer (&customer, tall_customer_free);
  return tall_heap_end ();
}

/* Cells of nothing but fields that take much for their bytes: they take 64 times their size, and
 * the rest of a block. Of one that is too long nothing is read. */
static void
test_cells (void)
{
  static const TallSlice units[] = {
#define UNIT(bytes) { (const guint8 *)bytes, sizeof bytes - 1 }
    UNIT ("\x1a\x00"),                                         /* an address without texts */
    UNIT ("\x22\x00"),                                         /* an empty text */
    UNIT ("\x7a\x00"),                                         /* a field that is not known */
    UNIT ("\x2a\x02\x08\x01"),                                 /* a location */
    UNIT ("\x32\x04\x0a\x00\x12\x00"),                         /* an attribute */
    UNIT ("\x2a\x0a\x08\x01\x1a\x00\x1a\x00\x1a\x00\x1a\x00"), /* a location with addresses */
#undef UNIT
  };
  for (guint i = 0; i < G_N_ELEMENTS (units); i++)
    {
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      tall_bytes_append (bytes, tall_slice ("\x0a\x01\x43\x12\x01\x31", 6));
      while (bytes->len + units[i].len <= TALL_MAX_CANONICAL_BYTES)
        tall_bytes_append (bytes, units[i]);
      gsize size = read_cell (tall_slice_array (bytes));
      tall_bytes_append (bytes, units[i]);
      gsize too_long = read_cell (tall_slice_array (bytes));
      g_test_message ("cell %u: %.2f MiB; %" G_GSIZE_FORMAT " bytes", i, (gdouble)size / MIB,
                      too_long);
      g_assert_cmpuint (size, <, 65 * MIB);
      g_assert_cmpuint (too_long, <, MIB / 16);
    }
}

int
main (int argc, char **argv)
{
  guint n;
  const TallLayout *const *layouts = tall_layouts (&n);
  g_autofree Case *cases = g_new (Case, n * G_N_ELEMENTS (kinds));
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/service/amplification/cells", test_cells);
  for (guint i = 0; i < n * G_N_ELEMENTS (kinds); i++)
    {
      const char *name = kinds[i % G_N_ELEMENTS (kinds)].name;
      cases[i] = (Case){ layouts[i / G_N_ELEMENTS (kinds)], kinds[i % G_N_ELEMENTS (kinds)].make };
      g_autofree char *path =
          g_strdup_printf ("/service/amplification/%s/%s", cases[i].layout->name, name);
      g_test_add (path, Fixture, &cases[i], set_up, test_order, tear_down);
    }
  return g_test_run ();
}
