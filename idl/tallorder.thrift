/*
 * SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * The service of tallorder: customers and their orders, a whole order at a time.
 *
 * Transport: TCP, framed (each message after its length, 4 bytes big-endian); binary or compact
 * protocol, recognised from each frame's first byte. A request of more than 16 MiB, or one that is
 * nested deeper than 32 levels, closes the connection; so do bytes that are not Thrift, and a
 * connection that is silent for longer than the server's idle time (usually 5 minutes). Calls on
 * one connection are answered one after the other; for calls at the same time use several
 * connections.
 *
 * Absent and empty. An "optional" field may be left out. An absent field is not the same as an
 * empty text or a zero: each is stored, and comes back as it was sent. Of lists and maps absent and
 * empty are the same; an optional one comes back only if it has something. A language without
 * absent values sends all fields, and so sends empty ones.
 *
 * Texts are UTF-8 without U+0000; a text with one is refused, never cut. Customer and order numbers
 * and kinds of adjustments are texts of 1 to 128 bytes without control characters. Numbers of
 * locations and lines are 1 to 2147483647. Dates are milliseconds since 1970-01-01T00:00:00Z, years
 * 1 to 9999.
 *
 * Limits of one order: 10,000 lines, locations and adjustments together; 4 KiB for the texts of one
 * address; 1 MiB as a whole, in the encoding in which it is stored (proto/order.proto); 48 MiB of
 * names and addresses of locations, each counted as often as its location has lines. The limit of
 * 1 MiB also applies to a customer. Anything over a limit is refused with TOO_LARGE; nothing is ever
 * shortened.
 *
 * Every call can fail with a TallError. The connection can still be used after it. A call that the
 * server does not know is answered with Thrift's own TApplicationException (UNKNOWN_METHOD).
 *
 * Changes are always compatible: calls, optional fields and codes may be added, and a number never
 * gets another meaning. A client must take an unknown code for INTERNAL.
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

/** Money of an order beside its lines. */
struct Adjustment {
  /** Must be sent: "discount", "shipping", "tax", "refund", "fee", or a word of your own. */
  1: string kind,
  /** Must be sent. It is added to the total: what is taken off is negative. */
  2: Decimal amount,
  3: optional string description,
  /** The number of the line that it belongs to. The order need not have that line any more. */
  4: optional i32 line
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
  6: map<string, string> attributes,
  /** Kept in the order given; absent if there are none. */
  7: optional list<Adjustment> adjustments,
  8: optional Address billing_address
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

/** What went wrong. After "Nothing was done" the call may be sent again without harm. */
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
  /** The store of the orders cannot be reached. Nothing was done. */
  UNAVAILABLE = 8,
  /** The time-out passed. Nothing was done. */
  TIMED_OUT = 9,
  /**
   * A write may or may not have happened: get the order to find out. WriteOptions.token says what
   * happens if it is sent again.
   */
  OUTCOME_UNKNOWN = 10,
  /** Stored rows contradict each other: an administrator has to look at them. */
  DAMAGED = 11,
  /** Stored by a newer version of tallorder. */
  NEWER_VERSION = 12,
  /** A defect, or a failure without a better code; the server's log says more. */
  INTERNAL = 13,
  /**
   * The client may not make this call: its certificate gives it no role that does. Nothing was
   * done.
   */
  FORBIDDEN = 14
}

/** The one error of all calls. */
exception TallError {
  1: ErrorCode code,
  /** For people: what went wrong, where, and what to do. */
  2: string message,
  /** INVALID: path of the wrong field, such as "shipping_locations[2].line_items[0].price". */
  3: optional string field,
  /** CONFLICT: the revision that is stored, 0 if there is none. OUTCOME_UNKNOWN of patchOrder: the
   * same, if this call has done nothing and only earlier ones with its token are in doubt. */
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

/** How something is put or deleted. If left out, or without fields: unconditionally, without a
 * token. */
struct WriteOptions {
  /** Absent: ANY. */
  1: optional WriteCondition condition,
  /** For WriteCondition.REVISION, and only then. */
  2: optional i64 revision,
  /**
   * 16 bytes, a UUID that the caller makes for this one write. If the answer is lost, the caller
   * may send the same write again with the same token. As long as nobody else has written since, it
   * is recognised: it is done only once, and answered as the first time. A different write of the
   * same order with that token is INVALID, as long as the server can see the difference; a patch is
   * taken for the write that was done. A token is kept with its order, so a token that was used for
   * another order is not recognised, and is accepted: make a new one for each write.
   *
   * If another client has written since, the first copy is no longer known, and the condition
   * decides. REVISION: CONFLICT, nothing is done, so sending again is always harmless. ABSENT: the
   * same, except that an order deleted meanwhile is stored once more. ANY: it is done again, and
   * replaces the other client's write. Where others write the same orders, use REVISION, or get the
   * order and look before you send again.
   */
  3: optional binary token,
  /** Milliseconds for the whole call, 1 to 3600000. Absent: the server's setting, usually 10 s. */
  4: optional i32 timeout_ms
}

/**
 * What a put stored. A revision grows with each write of the same order or customer. It is about
 * the time of the write, in milliseconds since the epoch, but only its growth is promised. One
 * below 2^40 was given by a load, which counts from 1: it says no time.
 */
struct PutResult {
  1: i64 revision
}

/**
 * Changes of one order, made one after the other, all or none. Each has one of these forms, where L
 * is the number of a location, N that of a line, A the kind of an adjustment, if no other has it, or
 * its place in the list, from 1, and FIELD a name as in the structs above, such as "currency", or one
 * within another, such as "address.city":
 *
 *   FIELD=VALUE             sets a field of the order
 *   location[L].FIELD=VALUE sets a field of location L
 *   line[N].FIELD=VALUE     sets a field of line N, in whichever location
 *   attribute.NAME=VALUE    sets an attribute; attribute["NAME"] takes any name, written as in JSON
 *   line[N].FIELD+=NUMBER   adds to a number that is there; -= subtracts
 *   -PLACE                  clears a field or attribute, removes a line, or a location with its lines
 *   +location[L]            adds a location; ={JSON} says what is in it
 *   +location[L].line[N]    adds a line to location L; ={JSON} says what is in it
 *   location[L]={JSON}, line[N]={JSON}
 *                           replaces a location with its lines, or a line
 *   +adjustment={JSON}      adds an adjustment, as the last one
 *   adjustment[A].FIELD=VALUE
 *                           sets a field of adjustment A; +=, -=, ={JSON} and - work, too
 *
 * VALUE goes to the end of the text as it is, so nothing in it has to be quoted: a text, a decimal
 * such as 9.80, a date such as 1996-07-04. JSON has the form of src/cli/README.md; its "number" may
 * be left out. What is not there yet can be filled by the changes after it:
 * "+location[1].line[4]", "line[4].item_number=11", "line[4].quantity=2".
 */
struct PatchOrderRequest {
  /** Must be sent. */
  1: string customer_number,
  /** Must be sent. */
  2: string order_number,
  /** 1 to 1,000, together at most 1 MiB. */
  3: list<string> changes,
  /** Not with the condition ABSENT. */
  4: optional WriteOptions options,
  /**
   * With a token, unless the condition is REVISION; only then: the revision that the caller has seen
   * when it made the token. See patchOrder.
   */
  5: optional i64 base_revision
}

/** What is known of an order without fetching it whole. */
struct OrderEntry {
  1: string order_number,
  2: i64 revision,
  3: optional i64 sales_date,
  /** Number of line items. */
  4: i32 lines,
  /** Sum of quantity × price × (1 - discount) of the lines, and of all adjustments; absent if it
   * does not fit in a Decimal. */
  5: optional Decimal total,
  6: optional string currency
}

struct OrderResult {
  /** Or the part of it that was asked for. */
  1: Order order,
  2: i64 revision,
  /** Only if a SUMMARY was asked for. */
  3: optional OrderEntry entry
}

struct CustomerResult {
  1: Customer customer,
  2: i64 revision
}

/**
 * The deployment that answers. Any client with a role gets it. Only an administrator also gets the
 * details: how its tables are made, and how they are being replaced.
 */
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
  /** "date": orders can be listed by date; or "none". This and the five fields below were
   * fixed when the deployment was made, or when it last moved to other tables. */
  9: optional string index,
  /** Seconds after which orders expire; 0: never. */
  10: optional i64 ttl,
  /** With how many regions the tables of orders and customers were to begin; 0: not said. A detail,
   * like the three below: absent for all but administrators. */
  11: optional i32 regions,
  /** What was asked for, for all tables; absent: the store's default. */
  12: optional string compression,
  13: optional string bloom_filter,
  14: optional string block_encoding,
  /** The calls that the answering program knows, by name, so that clients may be newer or older
   * than it. Absent: the server is older than this field. */
  15: optional list<string> calls,
  /** The protocols that it understands, each framed, such as "binary" and "compact". */
  16: optional list<string> protocols,
  /** The newest format of stored bytes that it reads: at least Description.format. */
  17: optional i32 newest_format,
  /** Which of the deployment's sets of tables counts: 1 until it has moved to another layout or key
   * strategy. A detail, like all below: absent for all but administrators, and where the server is
   * older than these fields. */
  18: optional i64 generation,
  /** Of a migration to another set: "none", "copying", "sealing" (writes wait), "closing" (reads
   * wait, too), "dropping" (the same, and it cannot be given up) or "aborting". */
  19: optional string phase,
  /** What the deployment will have after that migration; absent: there is none. */
  20: optional string next_layout,
  21: optional string next_key_strategy,
  22: optional string next_index,
  /** By which findOrders finds, each as NAME=TEMPLATE, such as "number=order_number". */
  23: optional list<string> indexes
}

// ---- Many at once, and listings -----------------------------------------------------------------

/** Names one order. */
struct OrderId {
  /** Must be sent. */
  1: string customer_number,
  /** Must be sent. */
  2: string order_number
}

enum PartKind {
  /** All of an order. */
  WHOLE = 0,
  /** Its numbers, sales date and currency, and what a listing shows of it, in OrderResult.entry. */
  SUMMARY = 1,
  /** What it has beside shipping locations. */
  HEADER = 2,
  /** The same, and one location with its lines. NOT_FOUND if there is none of that number. */
  LOCATION = 3
}

/**
 * What is wanted of an order. Its layout decides how much is read for that ("tallorder explain"
 * shows it). A part is of one version of the order. The checksum covers whole orders only: where a
 * part is read by itself, it is not proved that the store has lost nothing of it. A part must not be
 * stored as an order: all else of the order would be lost.
 */
struct OrderPart {
  /** Absent: WHOLE. */
  1: optional PartKind kind,
  /** The number of the location, from 1; for LOCATION only. */
  2: optional i32 location
}

struct GetOrdersRequest {
  /** At most 1,000. An id may come twice; it is answered twice then. */
  1: list<OrderId> ids,
  /** What is wanted of each. Absent: all of it. A server of an earlier version gives all of it. */
  2: optional OrderPart part
}

/** Exactly one of its fields is there. */
struct OrderOutcome {
  1: optional OrderResult result,
  2: optional TallError failure
}

struct GetOrdersResult {
  /**
   * The answers to the first ids, in their order: at least one, if there are ids. If there are
   * fewer answers than ids, ask for the others in another call.
   */
  1: list<OrderOutcome> outcomes
}

/** One of many orders to be stored. */
struct OrderPut {
  /** Must be sent. */
  1: Order order,
  /**
   * The options of this put. Its timeout_ms runs from the beginning of the call, however late its
   * turn comes: a put that has not been tried by then is TIMED_OUT, and certainly not stored.
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
 * A row that a listing has met and cannot read. The listing goes on after it. A client that wants
 * everything, such as a backup, must look at these, too.
 */
struct Unreadable {
  /** Of the order or the customer; absent if its rows do not say. */
  1: optional string number,
  /** DAMAGED or NEWER_VERSION. */
  2: ErrorCode code,
  /** For people: what is wrong, and where. */
  3: string message
}

struct OrderList {
  1: list<OrderEntry> entries,
  /** Absent: this is the last page. */
  2: optional string next_page,
  /**
   * Orders that may belong on this page, but cannot be read. They count towards the page's limit,
   * as entries do. An order whose date was changed may be there once for each of its dates.
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
   * Customers that cannot be read. One whose number is known from an order has an entry as well.
   * getCustomerOrders reports what is wrong with the orders of a customer.
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
  /** Absent: only orders are stored, or "failure" says why the customer cannot be read. */
  1: optional Customer customer,
  /** Of the customer; 0 if there is none. */
  2: i64 revision,
  /** An order that cannot be read (DAMAGED, NEWER_VERSION) has its failure here. */
  3: list<OrderOutcome> orders,
  /** Absent: this is the last page. */
  4: optional string next_page,
  /** The customer is stored and cannot be read: DAMAGED or NEWER_VERSION. */
  5: optional TallError failure,
  /**
   * Numbers of other customers whose orders lie among these, because their numbers have the same
   * MD5. Such numbers do not occur by chance: somebody has made them. listCustomers shows these
   * customers too, unless many orders lie before theirs.
   */
  6: list<string> others
}

/**
 * Which orders are looked for. An index has a key of several parts for each order, such as an item's
 * number and the order's date: those orders are found whose leading parts have just the values given,
 * and whose next part lies in a range. Description.indexes has the indexes and their parts.
 */
struct FindRequest {
  /** The name of the index. Absent: each value is FIELD=VALUE, in any order, such as
   * "line.item_number=42", and the index is taken whose leading parts are of these fields. */
  1: optional string index,
  /** Of the leading parts, in their order; of none: all orders of the index. A date is as much of
   * ISO 8601 as the part needs: "2026-11" for month(sales_date). */
  2: list<string> values,
  /** The first value wanted of the part after those. Absent: no bound. */
  3: optional string from_value,
  /** The first value of that part no longer wanted. Absent: no bound. */
  4: optional string to_value,
  /** Orders of a page, 1 to 1,000. Absent: 30. */
  5: optional i32 limit,
  /** next_page of the page before, of the same search. Absent: the first page. */
  6: optional string page,
  /** What is wanted of each order. Absent: all of it. */
  7: optional OrderPart part
}

struct FindResult {
  /** The name of the index that was used. */
  1: string index,
  /**
   * Each order once, in the order of the index. One that cannot be read (DAMAGED, NEWER_VERSION) has
   * its failure here, which names it, and counts towards the page's limit.
   */
  2: list<OrderOutcome> orders,
  /** Absent: this is the last page. */
  3: optional string next_page
}

// ---- Verifying ----------------------------------------------------------------------------------

/** What one part of a verification does. */
struct VerifyRequest {
  /** Only this customer, with its orders. Absent: everything. */
  1: optional string customer_number,
  /** Percent of the customers, 1 to 99. Absent: all. */
  2: optional i32 sample,
  /** Mend what needs no person. */
  3: bool repair,
  /** Orders, hints and other rows that it looks at, at least 1. Absent: as many as come in its
   * time. */
  4: optional i32 most,
  /** Of the part before. Absent: the beginning. */
  5: optional binary cursor,
  // 6 was the list "suspects" of earlier versions.
  /** Only what loads and migrations have left, or are doing: all of it in one part. */
  7: bool notes,
  /** The client waits as "wait_ms" of the parts says. Those that do not would take for damage what
   * somebody is just writing: they get an error as soon as there is something to wait for. */
  8: bool waits
}

/** A load that has begun and not ended: it runs, or was cut short. */
struct UnfinishedLoad {
  /** What is loaded, for people. */
  1: optional string name,
  /** Milliseconds since the epoch. */
  2: i64 begun,
  /** Orders and customers so far. */
  3: i64 stored
}

/** Something that is wrong; or a note ("unfinished-load", "unfinished-migration", "unused-tables"):
 * nothing is wrong then. */
struct Finding {
  /** Such as "stale-claim"; the README of tallorder says what each means. Kinds may be added. */
  1: string kind,
  /** Short name of a table. */
  2: string table,
  /** Key of the row, or of the first of "rows". */
  3: binary row,
  /** How many rows are concerned. */
  4: i32 rows,
  /** Absent: the rows do not say it. */
  5: optional string customer_number,
  /** Absent: the rows do not say it, or it is about a customer. */
  6: optional string order_number,
  /** The one that is committed; 0: none is, or nobody knows. */
  7: i64 revision,
  /** For people: what exactly. */
  8: string message,
  /** It was found, and is not there any more. */
  9: bool mended,
  /** Of an "unfinished-load". */
  10: optional UnfinishedLoad load
}

/** Of earlier versions, which sent them to be sent back. */
struct VerifySuspect {
  1: binary state
}

/** What one part of a verification has found. */
struct VerifyPart {
  1: list<Finding> findings,
  /** Empty; of earlier versions. */
  2: list<VerifySuspect> suspects,
  /** For the next part. It says also what looks wrong and has to be looked at again. Absent:
   * everything was looked at. */
  3: optional binary cursor,
  /** Customers, orders, hints and rows of ids that were looked at. */
  4: i64 customers,
  5: i64 orders,
  6: i64 hints,
  7: i64 ids,
  /** Orders that were written each time they were looked at, and are not judged. */
  8: i64 busy,
  /** A table cannot be read to its end. */
  9: bool broken,
  /** Absent; of earlier versions. */
  10: optional TallError failure,
  /** Milliseconds after which the next part is to be asked for: every write that was under way has
   * ended then. */
  11: i32 wait_ms,
  /** How many of "orders" are marks of orders that were deleted, or never stored. */
  12: i64 marks
}

// ---- Migrating ----------------------------------------------------------------------------------

/**
 * What startMigration is to begin. A setting that is absent stays as it is, or as it was begun.
 */
struct MigrationRequest {
  /** "move": begin a migration, or go on with the one that has begun; "abort": give it up, and drop
   * what was copied; "drop-source": remove the tables from before a switch. Absent: "move". The
   * other fields are for "move" only. */
  1: optional string task,
  /** What the deployment is to have, in the words of Description. */
  2: optional string layout,
  3: optional string key_strategy,
  4: optional string index,
  /** With how many regions the new tables begin, at least 1. */
  5: optional i32 regions,
  6: optional string compression,
  7: optional string bloom_filter,
  8: optional string block_encoding,
  /** Milliseconds: do not switch if writes would wait for longer, 0 to 3600000. Absent: 5000. */
  9: optional i64 pause_ms,
  /** Orders copied a second at most, at least 1. Absent: no limit. */
  10: optional i32 rate,
  /** Copy, and leave the switch to another call. */
  11: bool pass_only
}

struct MigrationLook {
  /** Of the task that is followed. Absent: the last one. */
  1: optional string id,
  /** How many elements of "unfit" came with earlier answers. Absent: 0. */
  2: optional i32 seen
}

/** What a migration is going to do. */
struct MigrationPlan {
  /** It goes on with what had begun before. */
  1: bool resumed,
  2: string from_layout,
  3: string from_key_strategy,
  4: string from_index,
  5: string to_layout,
  6: string to_key_strategy,
  7: string to_index,
  /** Number of the set of tables that counts, and of the one that is made. */
  8: i64 generation,
  9: i64 target,
  /** Deleted ones included, which are copied, too. */
  10: i64 orders,
  11: i64 customers,
  12: i64 lines,
  /** Of rows, estimated: what is there, and what the new tables need. */
  13: i64 bytes,
  14: i64 needed,
  /** Bytes that are free. Absent: not known. */
  15: optional i64 room,
  /** How long it copies, estimated; 0: not known. */
  16: i64 copy_ms,
  /** How long writes are going to wait, estimated, and how long they may. */
  17: i64 pause_ms,
  18: i64 pause_limit_ms,
  /** Loads that have not ended. */
  19: i32 loads
}

/** Something that cannot be copied. */
struct Unfit {
  /** Absent: the row does not say it. */
  1: optional string customer_number,
  /** Absent: it is about a customer, or the row does not say it. */
  2: optional string order_number,
  /** Short name of the table, and the key of the row in it. */
  3: string table,
  4: binary row,
  /** For people: why. */
  5: string message
}

/** How far a task has come, or how it has ended. "Items" are orders and customers together. */
struct MigrationState {
  /** Of the task. Absent, like all else: none was begun since the server started. */
  1: optional string id,
  /** As in MigrationRequest. An abort takes the place of the migration that it stops. */
  2: optional string task,
  3: bool running,
  /** It ran already when startMigration asked for it. */
  4: bool joined,
  /** "counting", "copying", "sealing" (writes wait from here on), "last pass", "closing" (reads
   * wait, too) or "aborting". */
  5: optional string stage,
  /** The number of the pass over everything, from 1. */
  6: i32 pass_number,
  /** Items that were looked at in this pass, or in the last one if the task has ended; that there
   * are, 0 if that is not known yet; and that were copied in this pass. */
  7: i64 looked_at,
  8: i64 all,
  9: i64 copied,
  /** Items a second that this pass looks at, and how long it still takes at that rate; 0: not
   * known. */
  10: i64 rate,
  11: i64 left_ms,
  /** Absent: not made yet, or it goes on where nobody has time for one. */
  12: optional MigrationPlan plan,
  /** At most 64; ask again with a higher "seen" for the others. 1,000 are named at most. */
  13: list<Unfit> unfit,
  /** How a "move" has ended: "switched"; "passed" (copied, and no more was asked for); "too-long"
   * (copied, but writes would wait for too long); "unfit" (something cannot be copied); "stopped"
   * (with the server); "overtaken" (another process gives it up); "unchanged" (all is as it was
   * asked for already). Absent: it has not ended, or has failed. Of an "abort": "switched" if the
   * migration had switched before it could be given up; else absent. The next five fields are set
   * with it. */
  14: optional string outcome,
  /** Number of the set of tables that counts now. */
  15: i64 generation,
  16: i32 passes,
  /** Items copied by all passes, and found by the last pass that cannot be copied. */
  17: i64 all_copied,
  18: i64 all_unfit,
  /** Microseconds that writes have waited, or would wait. */
  19: i64 pause_us,
  /** Tables that "drop-source" has removed. */
  20: i32 dropped,
  /** Why it has failed. */
  21: optional TallError failure
}

// ---- Backups ------------------------------------------------------------------------------------

struct BackupRequest {
  /** Of the backup, in the folder that the server was given for them: letters, digits, ".", "_" and
   * "-", 128 at most. There must be none of this name. */
  1: string name,
  /** Orders verified a second at most, at least 1. Absent: as fast as it goes. */
  2: optional i32 rate
}

struct BackupLook {
  /** Of the backup that is followed. Absent: the last one. */
  1: optional string id
}

/** How far a backup is, or how it has ended. */
struct BackupState {
  /** Absent, like all else: none was begun since the server started. */
  1: optional string id,
  2: optional string name,
  3: bool running,
  /** It was being made already when startBackup asked for it. */
  4: bool joined,
  /** "copying", "verifying" (the copy is opened, and everything in it read) or "sealing" (the sums
   * of its files are made). */
  5: optional string stage,
  /** Verified so far, or in all, of all deployments of the store. */
  6: i64 orders,
  7: i64 customers,
  /** Found in them; they do no harm, and verify with "repair" mends them. */
  8: i64 findings,
  9: i32 deployments,
  10: i32 files,
  /** Of these files; while it runs: read by this stage. */
  11: i64 bytes,
  /** Where it lies on the server, if it has ended well. */
  12: optional string path,
  /** Why there is none: nothing is left of it. */
  13: optional TallError failure
}

// ---- Erasing ------------------------------------------------------------------------------------

/** What one part of an erase does. */
struct EraseRequest {
  /** Must be sent. */
  1: string customer_number,
  /** Have an embedded store drop it from its files, too. On HBase, a major compaction does that. */
  2: bool compact,
  /** Of the part before. Absent: the beginning. */
  3: optional binary cursor
}

/** What one part of an erase has done. */
struct ErasePart {
  /** For the next part. Absent: this was all. */
  1: optional binary cursor,
  /** Milliseconds to wait before the next part. */
  2: i32 wait_ms,
  /** What comes next: "deleting", "waiting" (until writes that were under way have ended),
   * "removing", "compacting" or "done". */
  3: string stage,
  /** By this part: orders, and the customer, that could be read before. */
  4: i64 orders,
  5: i64 customers,
  /** By this part: marks of what was deleted, also earlier, that have no number any more. */
  6: i64 marks,
  /** By this part: other rows that were removed. */
  7: i64 rows,
  /** For people, when all is done: what is left, and where. */
  8: list<string> left
}

// ---- Calls --------------------------------------------------------------------------------------

/*
 * Field 1 of every call's exceptions is the TallError. It is not called "error", because the C GLib
 * generator has a variable of that name. Later calls take and return structs, so that they can
 * grow. A call on many items returns a result or a TallError for each.
 *
 * Time. A write has the time of its WriteOptions. In a call on many, the time of each runs from the
 * beginning of the call. Reads have the server's setting, usually 10 s, for each read that a call
 * consists of. A call on many does not add these up: it ends early, with the results that it has.
 */
service OrderService {
  /**
   * Stores a whole order, or replaces it: nothing of the earlier order is kept. It is all or
   * nothing, and stored for good when the answer comes. An order that is sent twice without a token
   * is stored twice (the same content with a new revision); for the effect of a token see
   * WriteOptions.
   * Errors: CONFLICT, INVALID, TOO_LARGE, KEY_COLLISION, NEWER_VERSION (the stored order was
   *   written by a newer version, and is kept), OUTCOME_UNKNOWN, and the general ones: UNSUPPORTED,
   *   OVERLOADED, UNAVAILABLE, TIMED_OUT, DAMAGED, INTERNAL.
   */
  PutResult putOrder(
    1: Order order,
    2: WriteOptions options
  ) throws (1: TallError failure),

  /**
   * Returns the whole order with its revision, as one write left it. May be repeated at will.
   * Errors: NOT_FOUND, INVALID, KEY_COLLISION, NEWER_VERSION, and the general ones.
   */
  OrderResult getOrder(
    1: string customer_number,
    2: string order_number
  ) throws (1: TallError failure),

  /**
   * Changes parts of an order as it is then, whatever others write meanwhile: if one of them comes
   * first, the server begins again, until the time is over. It is all or nothing.
   *
   * Without a token and a condition a patch that is sent twice is done twice. With a token it is done
   * once, however often it is sent: the server looks through what was written since base_revision.
   * Where it cannot tell, because much was written, the answer is OUTCOME_UNKNOWN. If that has a
   * "revision", this call has done nothing: a caller that has sent the token only this once may send
   * it again, with that revision as its base. With the condition REVISION there is no such doubt: the
   * patch is done on that revision or not at all.
   * Errors: NOT_FOUND, CONFLICT, INVALID ("field" is the place in the order, such as
   *   "location[1].address.city"; also if there is no such line), TOO_LARGE, KEY_COLLISION,
   *   NEWER_VERSION, OUTCOME_UNKNOWN, and the general ones.
   */
  PutResult patchOrder(
    1: PatchOrderRequest request
  ) throws (1: TallError failure),

  /**
   * Deletes an order with its lines. If it is sent again after it took effect, it gives NOT_FOUND;
   * with its token, and if nobody has written since, it succeeds.
   * Errors: NOT_FOUND, CONFLICT, INVALID, KEY_COLLISION, OUTCOME_UNKNOWN, and the general ones.
   */
  void deleteOrder(
    1: string customer_number,
    2: string order_number,
    3: WriteOptions options
  ) throws (1: TallError failure),

  /** Stores or replaces a customer, without touching the customer's orders. Like putOrder. */
  PutResult putCustomer(
    1: Customer customer,
    2: WriteOptions options
  ) throws (1: TallError failure),

  /** Returns a customer with its revision. Orders may exist without their customer. Like
   * getOrder. */
  CustomerResult getCustomer(
    1: string number
  ) throws (1: TallError failure),

  /**
   * Deletes a customer without orders. May be sent again like deleteOrder.
   * Errors: NOT_FOUND, CONFLICT (the condition does not hold, or there are orders: the message says
   *   which), INVALID, KEY_COLLISION, OUTCOME_UNKNOWN, and the general ones.
   */
  void deleteCustomer(
    1: string number,
    2: WriteOptions options
  ) throws (1: TallError failure),

  /**
   * Returns many orders, of any customers, each whole as getOrder does, or only a part of it, and
   * with its own outcome. For a part of one order, ask for one. One call costs less than many. The
   * orders are not a snapshot. May be repeated at will.
   * Errors of the whole call: TOO_LARGE (more than 1,000), INVALID (a text that is not UTF-8 or has
   * U+0000, or a part that there is not; "field" names it, as in "ids[3].order_number" or
   * "part.location"), and the general ones. What is wrong with one order, or with its numbers, is in
   * its outcome.
   */
  GetOrdersResult getOrders(
    1: GetOrdersRequest request
  ) throws (1: TallError failure),

  /**
   * Stores many orders, each as putOrder does: each is atomic, and has its own options and its own
   * outcome. Together they are not atomic. Two puts of the same order are done one after the other,
   * as given; nothing else is promised about the sequence. Give each put a token: if the answer is
   * lost, the whole call can then be sent again, as WriteOptions.token says. A failure of the call
   * concerns all puts: TOO_LARGE (more than 1,000 puts, or more lines and locations than all may
   * have), and INVALID for bytes that can never be an order (a text with U+0000 or that is not
   * UTF-8, a decimal without its scale; "field" names it, as in "puts[3].order.currency"). Nothing
   * was done then. After another general error any of the orders may be stored. What is wrong with
   * one order or its options is in its outcome; "field" is then a path in that order.
   */
  PutOrdersResult putOrders(
    1: PutOrdersRequest request
  ) throws (1: TallError failure),

  /**
   * Returns a page of a customer's orders, newest sales date first. Orders without a date come
   * last, and only if no dates are asked for. An order whose date changes during the listing may be
   * missed or come twice. An order that cannot be read is in "unreadable", and the others are still
   * listed. A page may have fewer entries than asked for, even none, and still have a next page. A
   * customer without orders, or one that does not exist, has an empty list.
   * Errors: INVALID (dates the wrong way round, a page token of another listing), UNSUPPORTED (a
   *   deployment without an index), and the general ones.
   */
  OrderList listOrders(
    1: ListOrdersRequest request
  ) throws (1: TallError failure),

  /**
   * Returns a page of all customers, each once, in the order of the deployment's row keys.
   * Customers with orders but no record are there too; of customers whose row keys collide perhaps
   * not all, see CustomerOrders.others. As with listOrders, customers that cannot be read are in
   * "unreadable", and a page may be short or empty and still have a next page.
   * Errors: INVALID (a page token of another listing), and the general ones.
   */
  CustomerList listCustomers(
    1: ListCustomersRequest request
  ) throws (1: TallError failure),

  /**
   * Returns a customer with a page of whole orders, in the order of their row keys. An order that
   * cannot be read has its own failure. A page may have fewer orders than asked for, even none, and
   * still have a next page.
   * Errors: NOT_FOUND (neither the customer nor an order of it is stored), INVALID, KEY_COLLISION,
   *   and the general ones.
   */
  CustomerOrders getCustomerOrders(
    1: CustomerOrdersRequest request
  ) throws (1: TallError failure),

  /**
   * Returns a page of the orders that an index leads to, whole, or a part of each. An order is found
   * by what it has when it is read: once its put has succeeded, by its new values and no longer by
   * those from before. One that changes during the search may be missed or come twice. As with
   * listOrders, a page may have fewer orders than asked for, even none, and still a next page. May
   * be repeated at will.
   * Errors: INVALID (there is no such index, more values than it has parts, a value that the part
   *   cannot have, a range of a part that has no order, a page token of another search; "field" says
   *   which it is), UNSUPPORTED (a deployment without such indexes), and the general ones.
   */
  FindResult findOrders(
    1: FindRequest request
  ) throws (1: TallError failure),

  /**
   * Describes this deployment. May be repeated at will.
   * Errors: the general ones.
   */
  Description describe() throws (1: TallError failure),

  /**
   * Succeeds if the store of the orders answers, not only this server. May be repeated at will.
   * Errors: the general ones.
   */
  void ping() throws (1: TallError failure),

  /**
   * For the role admin; without roles, for clients on the server's own machine. Does one part of a
   * verification, for about a second, and keeps nothing of it: the cursor says it all. So a client
   * may stop at any time. A whole verification calls it with the cursor of the part before, after
   * its "wait_ms", until there is none. May be repeated at will: with the same cursor, what the part
   * before has mended is reported again.
   * Errors: INVALID (a cursor of another deployment or version), NOT_FOUND (nothing was ever stored
   *   of the customer), FORBIDDEN (a client without the role admin), UNSUPPORTED (a client that does
   *   not wait), and the general ones.
   */
  VerifyPart verify(
    1: VerifyRequest request
  ) throws (1: TallError failure),

  /**
   * For the role admin; without roles, for clients on the server's own machine. Begins to move the
   * deployment to another layout, key strategy or index, inside of the server and without stopping
   * it, and answers at once. If the same runs already, it is found: so it may be sent again. It goes
   * on when its client goes away. Other calls go on, too; for a moment before the switch writes
   * wait, and then reads, within their time. If the server ends in the middle, the next one goes
   * on from there when it is asked to.
   * Errors: INVALID (a layout, key strategy or index that there is not, a number out of range),
   *   CONFLICT (another task runs, or the same with other settings), FORBIDDEN (a client
   *   elsewhere), and the general ones. What is found out later is in MigrationState.failure.
   */
  MigrationState startMigration(
    1: MigrationRequest request
  ) throws (1: TallError failure),

  /**
   * For the role admin; without roles, for clients on the server's own machine. Tells how far a task
   * of startMigration has come. May be repeated at will.
   * Errors: NOT_FOUND (the id is of none of the last tasks, at least 16: the server was restarted, or
   *   as many have begun since), INVALID, FORBIDDEN (a client without the role admin), and the general ones.
   */
  MigrationState getMigration(
    1: MigrationLook request
  ) throws (1: TallError failure),

  /**
   * For the role admin; without roles, for clients on the server's own machine. Begins a backup of
   * the embedded store with all its deployments, in the background: it holds every put and delete
   * that was acknowledged before this call. If one of the same name is being made, that is the
   * answer, so it may be repeated. A server that stops ends it, and nothing is left.
   * Errors: INVALID (a name that there cannot be, a rate out of range), CONFLICT (another one is
   *   being made), UNSUPPORTED (the server has no folder for backups), FORBIDDEN (a client
   *   elsewhere), and the general ones. What is found out later is in BackupState.failure.
   */
  BackupState startBackup(
    1: BackupRequest request
  ) throws (1: TallError failure),

  /**
   * For the role admin; without roles, for clients on the server's own machine. Tells how far a
   * backup is. May be repeated at will.
   * Errors: NOT_FOUND (the id is not that of the last backup), FORBIDDEN (a client without the role
   *   admin), and the general ones.
   */
  BackupState getBackup(
    1: BackupLook request
  ) throws (1: TallError failure),

  /**
   * For the role admin; without roles, for clients on the server's own machine. Does one part of
   * removing everything of a customer: orders, the numbers in the marks of deleted ones, the
   * customer, entries of listings, and the way from the number to its id. Call it again, after its
   * time, with the cursor of the part before until there is none; that takes a minute. May be
   * repeated at will, and begun again: an erase of what is erased already finds its marks, removes
   * nothing, and is done. What is stored of the customer meanwhile goes, too; what is stored
   * afterwards stays.
   * Errors: NOT_FOUND (nothing is there under the number, not even a mark), CONFLICT (a migration is
   *   under way, or orders are still being stored), DAMAGED (rows that cannot be read stay), INVALID (a cursor of
   *   another erase, or of tables that do not count any more), FORBIDDEN (a client without the role
   *   admin), and the general ones. After OUTCOME_UNKNOWN the same part is asked for again.
   */
  ErasePart eraseCustomer(
    1: EraseRequest request
  ) throws (1: TallError failure)
}
