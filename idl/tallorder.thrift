/*
 * SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * The service of tallorder: customers and their orders, a whole order at a time.
 *
 * Transport: TCP, framed (each message after its length, 4 bytes big-endian); binary or compact
 * protocol, recognised from each frame's first byte. A request of more than 16 MiB, or one that is
 * nested deeper than 32 levels, closes the connection; so do bytes that are not Thrift, and silence
 * of a connection for longer than the server's idle time (5 minutes unless it was told otherwise).
 * Calls on one connection are answered one after the other; for calls at the same time use several
 * connections.
 *
 * Absent and empty. A field that is "optional" may be left out, and that is not the same as an
 * empty text or a zero: both are stored and come back as they were sent. Lists and maps are never
 * absent: one that is left out is empty. Languages that have no absent values (a struct that is
 * sent with all fields) send the empty ones.
 *
 * Texts are UTF-8 without U+0000; a text with one is refused, never cut. Customer and order numbers
 * are texts of 1 to 128 bytes without control characters. Numbers of locations and lines are
 * 1 to 2147483647. Dates are milliseconds since 1970-01-01T00:00:00Z, years 1 to 9999.
 *
 * Limits of one order: 10,000 lines and locations together; 4 KiB for the texts of one address;
 * 1 MiB as a whole, in the encoding in which it is stored (proto/order.proto). The last also holds
 * for a customer. What is over a limit is refused with TOO_LARGE; nothing is ever shortened.
 *
 * Every call can fail with a TallError. After one the connection can be used on. A call that the
 * server does not know is answered with Thrift's own TApplicationException (UNKNOWN_METHOD).
 *
 * Compatible changes only: calls, optional fields and codes may be added, numbers are never given
 * another meaning. A client must take an unknown code for INTERNAL.
 */

namespace c_glib Idl
namespace py tallorder
namespace java org.tallorder.thrift
namespace go tallorder
namespace cpp tallorder
namespace rb Tallorder
namespace php Tallorder
namespace netstd Tallorder
namespace js tallorder
namespace rs tallorder

// ---- What is stored -----------------------------------------------------------------------------

/**
 * An exact decimal: unscaled × 10^-scale. The scale is part of the value: 1.5 (15, 1) and
 * 1.50 (150, 2) are kept apart. Both fields must be sent.
 */
struct Decimal {
  1: i64 unscaled,
  /** 0 to 18. */
  2: i32 scale
}

/** A postal address; together at most 4 KiB. */
struct Address {
  1: optional string line1,
  2: optional string line2,
  3: optional string city,
  4: optional string state,
  5: optional string zip,
  6: optional string country
}

struct LineItem {
  /** Must be sent. Unique in the whole order, not only in its location. */
  1: i32 number,
  2: optional string item_number,
  3: optional string description,
  /** Negative: a cancellation. */
  4: optional Decimal quantity,
  /** Of one unit. */
  5: optional Decimal price,
  /** A rate, 0 to 1: 0.15 is fifteen per cent. */
  6: optional Decimal discount
}

/** Where some lines of an order go. A location without lines is kept. */
struct ShippingLocation {
  /** Must be sent. Unique in the order. */
  1: i32 number,
  2: optional string name,
  3: optional Address address,
  4: optional i64 ship_date,
  /** In any order; they come back sorted by number. */
  5: list<LineItem> line_items
}

struct Order {
  /** Must be sent. */
  1: string customer_number,
  /** Must be sent. Unique among the customer's orders. */
  2: string order_number,
  3: optional i64 sales_date,
  /** Any text; an ISO 4217 code is usual. */
  4: optional string currency,
  /** In any order; they come back sorted by number. */
  5: list<ShippingLocation> shipping_locations,
  6: map<string, string> attributes
}

struct Customer {
  /** Must be sent. */
  1: string number,
  2: optional string name,
  3: optional Address address,
  /** Kept in the order given. */
  4: list<string> phones,
  5: optional string email,
  6: map<string, string> attributes
}

// ---- Errors -------------------------------------------------------------------------------------

/** What went wrong. "Nothing was done" means that the call may be sent again without harm. */
enum ErrorCode {
  /** The order or customer does not exist. */
  NOT_FOUND = 1,
  /** The condition does not hold; "revision" is the one stored, 0 if none. Nothing was done. */
  CONFLICT = 2,
  /** The input is wrong; "field" names the place. Nothing was done. */
  INVALID = 3,
  /** A limit is exceeded; the message names it. Nothing was done. */
  TOO_LARGE = 4,
  /** Another number has the same row key. Nothing was done. */
  KEY_COLLISION = 5,
  /** This deployment or store cannot do that. Nothing was done. */
  UNSUPPORTED = 6,
  /** Too much is waiting already. Nothing was done; try again later. */
  OVERLOADED = 7,
  /** What keeps the orders cannot be reached. Nothing was done. */
  UNAVAILABLE = 8,
  /** The time-out passed. Nothing was done. */
  TIMED_OUT = 9,
  /**
   * A write may or may not have happened: get to find out. What sending it again can do is told at
   * WriteOptions.token.
   */
  OUTCOME_UNKNOWN = 10,
  /** Stored rows contradict each other: somebody has to look. */
  DAMAGED = 11,
  /** Stored by a newer version of tallorder. */
  NEWER_VERSION = 12,
  /** A defect, or a failure that has no better name; the server's log says more. */
  INTERNAL = 13
}

/** The one error of all calls. */
exception TallError {
  1: ErrorCode code,
  /** For people: what, where, and what to do. */
  2: string message,
  /** INVALID: path of the wrong field, such as "shipping_locations[2].line_items[0].price". */
  3: optional string field,
  /** CONFLICT: the revision that is stored, 0 if there is none. */
  4: optional i64 revision
}

// ---- Options and results ------------------------------------------------------------------------

/** When a write happens. */
enum WriteCondition {
  /** Whatever is stored. */
  ANY = 0,
  /** Only if nothing is stored. Not for deletes. */
  ABSENT = 1,
  /** Only if exactly WriteOptions.revision is stored. */
  REVISION = 2
}

/** How something is put or deleted. Left out, or without fields: whatever is there, no token. */
struct WriteOptions {
  /** Absent: ANY. */
  1: optional WriteCondition condition,
  /** For WriteCondition.REVISION, and only then. */
  2: optional i64 revision,
  /**
   * 16 bytes, a UUID, made by the caller for this one write. The same write sent again with the
   * same token, because its answer was lost, is recognised as long as nobody else has written since:
   * it is done once, and answered as the first time. Another write with that token is INVALID.
   *
   * If somebody else has written since, the first copy is no longer known, and the condition
   * decides. REVISION: CONFLICT, nothing is done, so sending again is always harmless. ABSENT: the
   * same, except that an order deleted meanwhile is stored once more. ANY: it is done again, over
   * what the other has written. Where others write the same orders, use REVISION, or get the order
   * and look before you send again.
   */
  3: optional binary token,
  /** Milliseconds for the whole call, 1 to 3600000. Absent: as the server is set, usually 10 s. */
  4: optional i32 timeout_ms
}

/**
 * What a put stored. A revision grows with each write of the same order or customer; it is about
 * the time of the write, in milliseconds since the epoch, but promises nothing beyond growing.
 */
struct PutResult {
  1: i64 revision
}

struct OrderResult {
  1: Order order,
  2: i64 revision
}

struct CustomerResult {
  1: Customer customer,
  2: i64 revision
}

/** The deployment that answers. */
struct Description {
  1: string name,
  /** How orders are laid out in rows, such as "blob" or "record-type". */
  2: string layout,
  /** How row keys are made, such as "hashed". */
  3: string key_strategy,
  /** "rocksdb", "hbase" or "memory". */
  4: string store,
  /** Format number of the stored bytes. */
  5: i32 format,
  /** Schema number of orders and customers. */
  6: i32 schema,
  7: bool read_only,
  /** Of the program that answers. */
  8: string version,
  /** "date": orders can be listed by date; or "none". As all below, fixed when it was made. */
  9: optional string index,
  /** Seconds after which orders expire; 0: never. */
  10: optional i64 ttl,
  /** How many regions tables of orders and customers were to begin with; 0: not said. */
  11: optional i32 regions,
  /** What was asked for all tables; absent: the store's default. */
  12: optional string compression,
  13: optional string bloom_filter,
  14: optional string block_encoding
}

// ---- Many at once, and listings -----------------------------------------------------------------

/** Names one order. */
struct OrderId {
  /** Must be sent. */
  1: string customer_number,
  /** Must be sent. */
  2: string order_number
}

struct GetOrdersRequest {
  /** At most 1,000; one may come twice, and is answered twice. */
  1: list<OrderId> ids
}

/** Exactly one of its fields is there. */
struct OrderOutcome {
  1: optional OrderResult result,
  2: optional TallError failure
}

struct GetOrdersResult {
  /**
   * The answers to the first ids, in their order: to one at least, if any was asked. If they are
   * fewer than the ids, ask for the others in another call.
   */
  1: list<OrderOutcome> outcomes
}

/** One of many orders to be stored. */
struct OrderPut {
  /** Must be sent. */
  1: Order order,
  /**
   * Its own. Its timeout_ms runs from the beginning of the call, however late its turn comes: one
   * that has not been tried by then is TIMED_OUT, and surely not stored.
   */
  2: optional WriteOptions options
}

struct PutOrdersRequest {
  /** At most 1,000. */
  1: list<OrderPut> puts
}

/** Exactly one of its fields is there. */
struct PutOutcome {
  1: optional PutResult result,
  2: optional TallError failure
}

struct PutOrdersResult {
  /** One for each put, in their order. */
  1: list<PutOutcome> outcomes
}

/** Which part of a customer's orders is wanted. */
struct ListOrdersRequest {
  /** Must be sent. */
  1: string customer_number,
  /** The first sales date wanted. Absent: from the oldest. */
  2: optional i64 from_date,
  /** The first sales date no longer wanted, after from_date. Absent: to the newest. */
  3: optional i64 to_date,
  /** Entries of a page, 1 to 1,000. Absent: 30. */
  4: optional i32 limit,
  /** next_page of the page before. Absent: the first page. */
  5: optional string page
}

/**
 * What a listing has met and cannot tell of. The listing goes on after it: who wants everything, as
 * a backup does, has to look at these, too.
 */
struct Unreadable {
  /** Of the order or the customer; absent where its rows do not tell. */
  1: optional string number,
  /** DAMAGED or NEWER_VERSION. */
  2: ErrorCode code,
  /** For people: what is wrong, and where. */
  3: string message
}

/** What is known of an order without fetching it whole. */
struct OrderEntry {
  1: string order_number,
  2: i64 revision,
  3: optional i64 sales_date,
  /** Number of line items. */
  4: i32 lines,
  /** Sum of quantity × price × (1 - discount) of the lines; absent if it cannot be told. */
  5: optional Decimal total,
  6: optional string currency
}

struct OrderList {
  1: list<OrderEntry> entries,
  /** Absent: this is the last page. */
  2: optional string next_page,
  /**
   * Orders that may belong on this page, but cannot be read. With the entries no more than a page
   * may have. One whose date was changed may be there for each of its dates.
   */
  3: list<Unreadable> unreadable
}

struct ListCustomersRequest {
  /** Entries of a page, 1 to 1,000. Absent: 30. */
  1: optional i32 limit,
  /** next_page of the page before. Absent: the first page. */
  2: optional string page
}

struct CustomerEntry {
  1: string number,
  2: optional string name,
  /** 0: no customer is stored under this number, only orders; or one that cannot be read. */
  3: i64 revision
}

struct CustomerList {
  1: list<CustomerEntry> entries,
  /** Absent: this is the last page. */
  2: optional string next_page,
  /**
   * Customers who cannot be read. One whose number is known, because an order tells it, has an entry
   * as well. What is wrong with the orders of those who have entries, getCustomerOrders tells.
   */
  3: list<Unreadable> unreadable
}

struct CustomerOrdersRequest {
  /** Must be sent. */
  1: string customer_number,
  /** Orders of a page, 1 to 1,000. Absent: 30. */
  2: optional i32 limit,
  /** next_page of the page before. Absent: the first page. */
  3: optional string page
}

struct CustomerOrders {
  /** Absent: only orders are stored, or "failure" tells why it cannot be read. */
  1: optional Customer customer,
  /** Of the customer; 0 if there is none. */
  2: i64 revision,
  /** One that cannot be read (DAMAGED, NEWER_VERSION) has its failure here. */
  3: list<OrderOutcome> orders,
  /** Absent: this is the last page. */
  4: optional string next_page,
  /** The customer is stored and cannot be read: DAMAGED or NEWER_VERSION. */
  5: optional TallError failure,
  /**
   * Numbers of other customers whose orders lie among these, because the MD5 of their numbers is the
   * same. Somebody has made them so: listCustomers shows them too, unless many orders lie before.
   */
  6: list<string> others
}

// ---- Calls --------------------------------------------------------------------------------------

/*
 * Field 1 of every call's exceptions is the TallError. It is not called "error", because the C GLib
 * generator has a variable of that name. The later calls take and give structs, so that they can
 * grow; a call on many items gives a result or a TallError for each.
 *
 * Time. A write has the time of its WriteOptions; in a call on many that of each runs from the
 * beginning of the call. Reads have the server's own, usually 10 s for each of the reads that a call
 * is made of; calls on many end early, with what they have, rather than add them up.
 */
service OrderService {
  /**
   * Stores a whole order, or replaces it: what the order before had and this one has not is gone.
   * All or nothing, and stored for good when the answer comes. Sent twice without a token it is
   * stored twice (the same content with a new revision); with a token, see there.
   * CONFLICT, INVALID, TOO_LARGE, KEY_COLLISION, NEWER_VERSION (what is stored was written by a
   * newer version, and is left), OUTCOME_UNKNOWN, and the general ones: UNSUPPORTED, OVERLOADED,
   * UNAVAILABLE, TIMED_OUT, DAMAGED, INTERNAL.
   */
  PutResult putOrder(
    1: Order order,
    2: WriteOptions options
  ) throws (1: TallError failure),

  /**
   * The whole order with its revision, as one write left it. May be repeated at will.
   * NOT_FOUND, INVALID, KEY_COLLISION, NEWER_VERSION, and the general ones.
   */
  OrderResult getOrder(
    1: string customer_number,
    2: string order_number
  ) throws (1: TallError failure),

  /**
   * Deletes an order with its lines. Sent again after it took effect it gives NOT_FOUND; with its
   * token, and if nobody has written since, success.
   * NOT_FOUND, CONFLICT, INVALID, KEY_COLLISION, OUTCOME_UNKNOWN, and the general ones.
   */
  void deleteOrder(
    1: string customer_number,
    2: string order_number,
    3: WriteOptions options
  ) throws (1: TallError failure),

  /** Stores or replaces a customer, without touching the customer's orders. As putOrder. */
  PutResult putCustomer(
    1: Customer customer,
    2: WriteOptions options
  ) throws (1: TallError failure),

  /** A customer with its revision. Orders may exist without their customer. As getOrder. */
  CustomerResult getCustomer(
    1: string number
  ) throws (1: TallError failure),

  /**
   * Deletes a customer who has no orders. Sent again as deleteOrder.
   * NOT_FOUND, CONFLICT (the condition does not hold, or there are orders: the message tells),
   * INVALID, KEY_COLLISION, OUTCOME_UNKNOWN, and the general ones.
   */
  void deleteCustomer(
    1: string number,
    2: WriteOptions options
  ) throws (1: TallError failure),

  /**
   * Many whole orders, of any customers, each as by getOrder and with its own outcome; together
   * they cost less than one after the other. They are no snapshot. May be repeated at will.
   * TOO_LARGE (more than 1,000), INVALID (a text that is none, at "ids[3].order_number"), and the
   * general ones: those speak of the whole call. Of one order, its numbers included, its outcome
   * speaks.
   */
  GetOrdersResult getOrders(
    1: GetOrdersRequest request
  ) throws (1: TallError failure),

  /**
   * Stores many orders, each as by putOrder: atomic for itself, with its own options and its own
   * outcome. Not atomic together. Two of the same order are stored one after the other, in their
   * order; otherwise no order of storing is promised. Give each put a token: when the answer was
   * lost, the whole call can be sent again under the terms of WriteOptions.token.
   * A failure of the call speaks of all: TOO_LARGE (more than 1,000 puts, or more lines and
   * locations than all may have), and INVALID for what is no order in any case (a text with U+0000
   * or that is not UTF-8, a decimal without its scale; "field" names it, as in
   * "puts[3].order.currency"): nothing was done then. With another of the general ones any of them
   * may be stored. What is wrong with one order or its options is told by its outcome; "field" is
   * a path in that order then.
   */
  PutOrdersResult putOrders(
    1: PutOrdersRequest request
  ) throws (1: TallError failure),

  /**
   * A page of a customer's orders, newest sales date first, those without a date last and only
   * where no dates are asked for. An order whose date changes while it is being listed may be
   * missed or come twice. An order that cannot be read is told of, and the others are listed
   * nevertheless; a page may have fewer entries than asked for, even none, and yet a next page. A
   * customer without orders, or that does not exist, has an empty list.
   * INVALID (dates the wrong way round, a page token of something else), UNSUPPORTED (a deployment
   * without an index), and the general ones.
   */
  OrderList listOrders(
    1: ListOrdersRequest request
  ) throws (1: TallError failure),

  /**
   * A page of all customers, each once, in an order that the deployment's row keys make. Those who
   * only have orders are there too; of several whose row keys collide perhaps not all of them, see
   * CustomerOrders.others. Who cannot be read is told of, as by listOrders,
   * and a page may likewise be short or empty, and yet have a next page.
   * INVALID (a page token of something else), and the general ones.
   */
  CustomerList listCustomers(
    1: ListCustomersRequest request
  ) throws (1: TallError failure),

  /**
   * A customer with a page of whole orders, in the order of their row keys. What of them cannot be
   * read has its own failure. A page may have fewer orders than asked for, even none, and yet a
   * next page.
   * NOT_FOUND (neither the customer nor an order of it is stored), INVALID, KEY_COLLISION, and the
   * general ones.
   */
  CustomerOrders getCustomerOrders(
    1: CustomerOrdersRequest request
  ) throws (1: TallError failure),

  /** What this deployment is. May be repeated at will. The general errors. */
  Description describe() throws (1: TallError failure),

  /**
   * Succeeds if an answer comes from where the orders are kept, so it asks more than that this
   * server runs. May be repeated at will. The general errors.
   */
  void ping() throws (1: TallError failure)
}
