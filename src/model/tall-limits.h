/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The same in every layout, so that every order can be moved from any layout to any other. */
#define TALL_MAX_NUMBER_BYTES 128              /* a customer or order number, UTF-8 */
#define TALL_MAX_LINES_AND_LOCATIONS 10000     /* with adjustments, in one order */
#define TALL_MAX_ADDRESS_BYTES 4096            /* all texts of one address together, UTF-8 */
#define TALL_MAX_CANONICAL_BYTES (1024 * 1024) /* an order's or customer's canonical form */

/* Names and addresses of locations, each as often as its location has lines: some layouts write
 * them beside every line. Orders that are stored already may have more. */
#define TALL_MAX_REPEATED_BYTES (48 * 1024 * 1024)

/* Dates: milliseconds since the epoch, UTC. */
#define TALL_MIN_DATE G_GINT64_CONSTANT (-62135596800000) /* 0001-01-01T00:00:00.000Z */
#define TALL_MAX_DATE G_GINT64_CONSTANT (253402300799999) /* 9999-12-31T23:59:59.999Z */

/* Schema numbers of the canonical form. Content has the smallest one that has all its fields, so
 * that earlier versions go on with what they know. */
#define TALL_FIRST_SCHEMA 1 /* of customers, and of orders without money beside their lines */
#define TALL_SCHEMA 2       /* the newest that this version knows */
