/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Loads a file that `tallorder-perf load` has made into a new SQLite database, durable at the
 * end, and prints the number of lines that are stored:
 *
 *     tallorder-peer-sqlite FILE.csv DATABASE
 *
 * It goes the way that SQLite's own shell goes with `.import` and an INSERT … SELECT after it: all
 * rows as text into one table, from there into customers, orders, locations and lines. All of it is
 * one transaction. */
#include <glib.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#define N_COLUMNS 16

static const char make_tables[] =
    "PRAGMA synchronous = FULL;"
    "PRAGMA cache_size = -262144;"
    "BEGIN;"
    "CREATE TABLE raw (customer, number, date, currency, name, street, city, zip, country, shipped,"
    "  line, item, description, quantity, price, discount);"
    "CREATE TABLE orders (customer TEXT, number TEXT, date TEXT, currency TEXT,"
    "  PRIMARY KEY (customer, number)) WITHOUT ROWID;"
    "CREATE TABLE locations (customer TEXT, number TEXT, location INTEGER, name TEXT, street TEXT,"
    "  city TEXT, zip TEXT, country TEXT, shipped TEXT,"
    "  PRIMARY KEY (customer, number, location)) WITHOUT ROWID;"
    "CREATE TABLE lines (customer TEXT, number TEXT, location INTEGER, line INTEGER, item TEXT,"
    "  description TEXT, quantity TEXT, price TEXT, discount TEXT,"
    "  PRIMARY KEY (customer, number, location, line)) WITHOUT ROWID;"
    "CREATE INDEX by_date ON orders (customer, date);";

static const char insert_raw[] =
    "INSERT INTO raw VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16)";

static const char distribute[] =
    "INSERT OR IGNORE INTO orders SELECT customer, number, date, currency FROM raw;"
    "INSERT OR IGNORE INTO locations"
    "  SELECT customer, number, 1, name, street, city, zip, country, shipped FROM raw;"
    "INSERT INTO lines SELECT customer, number, 1, CAST (line AS INTEGER), item, description,"
    "  quantity, price, discount FROM raw;"
    "DROP TABLE raw;"
    "COMMIT;";

G_GNUC_NORETURN static void
fail (sqlite3 *db, const char *what)
{
  fprintf (stderr, "%s: %s\n", what, sqlite3_errmsg (db));
  exit (1);
}

static void
execute (sqlite3 *db, const char *sql)
{
  if (sqlite3_exec (db, sql, NULL, NULL, NULL) != SQLITE_OK)
    fail (db, sql);
}

/* The file has no quotes. */
static void
insert_row (sqlite3 *db, sqlite3_stmt *statement, char *row)
{
  char *field = row;
  for (int i = 1; i <= N_COLUMNS; i++)
    {
      size_t len = strcspn (field, i < N_COLUMNS ? "," : "\n");
      sqlite3_bind_text (statement, i, field, (int)len, SQLITE_STATIC);
      field += len + 1;
    }
  if (sqlite3_step (statement) != SQLITE_DONE)
    fail (db, insert_raw);
  sqlite3_reset (statement);
}

static void
import (sqlite3 *db, FILE *file)
{
  sqlite3_stmt *statement;
  g_autofree char *row = NULL;
  size_t size = 0;
  if (sqlite3_prepare_v2 (db, insert_raw, -1, &statement, NULL) != SQLITE_OK)
    fail (db, insert_raw);
  for (gboolean is_header = TRUE; getline (&row, &size, file) > 0; is_header = FALSE)
    if (!is_header)
      insert_row (db, statement, row);
  sqlite3_finalize (statement);
}

static void
print_count (sqlite3 *db)
{
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v2 (db, "SELECT count (*) FROM lines", -1, &statement, NULL) != SQLITE_OK
      || sqlite3_step (statement) != SQLITE_ROW)
    fail (db, "Counting");
  printf ("%lld\n", sqlite3_column_int64 (statement, 0));
  sqlite3_finalize (statement);
}

int
main (int argc, char *argv[])
{
  sqlite3 *db;
  FILE *file = argc == 3 ? fopen (argv[1], "re") : NULL;
  if (file == NULL)
    {
      fprintf (stderr, "Usage: tallorder-peer-sqlite FILE.csv DATABASE; FILE.csv has to exist\n");
      return 2;
    }
  if (sqlite3_open (argv[2], &db) != SQLITE_OK)
    fail (db, argv[2]);
  execute (db, make_tables);
  import (db, file);
  execute (db, distribute);
  print_count (db);
  fclose (file);
  return sqlite3_close (db) == SQLITE_OK ? 0 : 1;
}
