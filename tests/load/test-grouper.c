/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/orders/grouper.h"
#include "tall-json.h"
#include "tall-test-files.h"
#include "tall-must.h"

#define PLAIN "[order]\ncustomer_number=C\norder_number=O\nsales_date=D\n[line]\nquantity=Q\n"
#define PLAIN_ORDER "[order]\ncustomer_number=C\norder_number=O\n"
#define PLACES_ONLY PLAIN_ORDER "[location]\naddress.city=T\n"
#define HEADER "C,O,D,Q\n"
#define PLACES                                                                                     \
  "[order]\ncustomer_number=C\norder_number=O\n[location]\naddress.city=T\n"                       \
  "ship_date=S\n[line]\nquantity=Q\n"
#define NUMBERED                                                                                   \
  "[order]\ncustomer_number=C\norder_number=O\n[location]\nnumber=L\n"                             \
  "address.city=T\n[line]\nnumber=N\n"

#define CONVERT                                                                                    \
  "; if the file has another encoding, name it in the mapping: encoding = WINDOWS-1252"

/* One line an order: `CUSTOMER/ORDER: location 1: lines; location 2: …`. */
static void
note_item (TallLoadItem *taken, gpointer data)
{
  g_autoptr (TallLoadItem) item = taken;
  GString *notes = data;
  if (item->customer != NULL)
    {
      if (tall_load_item_is_repeated (item))
        g_string_append (notes, "again ");
      g_autofree char *json = tall_customer_to_json (item->customer, FALSE);
      g_string_append_printf (notes, "%s\n", json);
      return;
    }
  const TallOrder *order = item->order;
  g_string_append_printf (notes, "%s/%s:", order->customer_number, order->order_number);
  for (guint i = 0; i < order->n_shipping_locations; i++)
    {
      const TallShippingLocation *location = order->shipping_locations[i];
      g_string_append_printf (notes, " %d", location->number);
      if (location->address != NULL)
        g_string_append_printf (notes, "=%s", location->address->city);
      for (guint k = 0; k < location->n_line_items; k++)
        {
          char text[TALL_DECIMAL_TEXT_SIZE] = "";
          if (location->line_items[k]->quantity != NULL)
            tall_decimal_format (*location->line_items[k]->quantity, text);
          g_string_append_printf (notes, "%c%d*%s", k == 0 ? '(' : ' ',
                                  location->line_items[k]->number, text);
        }
      g_string_append_c (notes, ')');
    }
  g_string_append_c (notes, '\n');
}

static void
replace_byte (char *text, gsize len, char old, char new)
{
  for (gsize i = 0; i < len; i++)
    text[i] = text[i] == old ? new : text[i];
}

/* Nothing is so large that it takes room there. */
static const TallSpoolPlace place = { .folder = "/nonexistent" };

static void
group_orders (const TallLoadFiles *files, TallRejects *rejects, GString *notes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallSurvey) survey =
      must (tall_survey_make (files, g_get_tmp_dir (), NULL, NULL, &error));
  g_autoptr (TallGrouper) grouper =
      tall_grouper_new (files, survey, &place, rejects, note_item, notes);
  for (guint i = 0; i < tall_load_files_count (files); i++)
    {
      TallCsvRow row;
      tall_grouper_begin_file (grouper, i);
      while (tall_csv_reader_next (tall_load_files_get (files, i)->reader, &row, &error)
             == TALL_CSV_ROW)
        must (tall_grouper_push (grouper, &row, &error));
      g_assert_no_error (error);
    }
  must (tall_grouper_finish (grouper, NULL, &error));
  g_assert_true (tall_survey_agrees (survey));
  guint64 done, all;
  tall_grouper_get_progress (grouper, &done, &all);
  g_assert_cmpuint (done, ==, all);
  g_assert_true (all == 0 || tall_survey_estimate (survey) > 0);
}

static void
group_customers (const TallLoadFiles *files, TallRejects *rejects, GString *notes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallGrouper) grouper =
      tall_grouper_new (files, NULL, &place, rejects, note_item, notes);
  for (guint i = 0; i < tall_load_files_count (files); i++)
    {
      TallCsvRow row;
      TallCsvReader *reader = tall_load_files_get (files, i)->reader;
      tall_grouper_begin_file (grouper, i);
      while (tall_csv_reader_next (reader, &row, &error) == TALL_CSV_ROW)
        must (tall_grouper_push (grouper, &row, &error));
      g_assert_no_error (error);
    }
}

/* Returns what was emitted, and below it, each after `! `, the lines of the reject file. A NUL byte
 * is written as `~`. */
static char *
group (const char *map, const char *csv)
{
  g_autoptr (GString) notes = g_string_new (NULL);
  g_autofree char *bytes = g_strdup (csv);
  replace_byte (bytes, strlen (csv), '~', '\0');
  g_autofree char *path = tall_test_write_file (bytes, (gssize)strlen (csv));
  g_autofree char *rejects_path = tall_test_write_file ("", 0);
  g_autoptr (TallMapping) mapping = must (tall_mapping_parse ("m", map, -1, &error));
  g_autoptr (TallCsvReader) reader =
      must (tall_csv_reader_open (path, &mapping->dialect, TALL_CSV_MAX_ROW, &error));
  must (tall_mapping_bind_reader (mapping, reader, &error));
  g_autoptr (TallRejects) rejects = must (tall_rejects_new (rejects_path, &error));

  gboolean of_orders = mapping->kind == TALL_MAPPING_ORDERS;
  g_autoptr (TallLoadFiles) files =
      tall_load_files_new_of_one (g_steal_pointer (&reader), g_steal_pointer (&mapping));
  if (of_orders)
    group_orders (files, rejects, notes);
  else
    group_customers (files, rejects, notes);
  must (tall_rejects_close (rejects, &error));

  g_autofree char *text = NULL;
  gsize len;
  must (g_file_get_contents (rejects_path, &text, &len, &error));
  replace_byte (text, len, '\0', '~');
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_assert_cmpstr (lines[0], ==, "\"line\",\"column\",\"reason\",\"row\"");
  for (guint i = 1; lines[i + 1] != NULL; i++)
    g_string_append_printf (notes, "! %s\n", lines[i]);
  g_remove (path);
  g_remove (rejects_path);
  return g_string_free (g_steal_pointer (&notes), FALSE);
}

typedef struct
{
  const char *name;
  const char *map;
  const char *csv;
  const char *result;
} Case;

static const Case grouping[] = {
  { "one order of three lines", PLAIN, HEADER "A,1,,1\nA,1,,2\nA,1,,3\n", "A/1: 1(1*1 2*2 3*3)\n" },
  { "orders follow each other", PLAIN, HEADER "A,1,,1\nA,2,,2\nB,2,,3\n",
    "A/1: 1(1*1)\nA/2: 1(1*2)\nB/2: 1(1*3)\n" },
  { "locations by content, lines through the order", PLACES,
    "C,O,T,S,Q\nA,1,X,,1\nA,1,Y,,2\nA,1,X,,3\nA,1,,,4\n", "A/1: 1=X(1*1 3*3) 2=Y(2*2) 3(4*4)\n" },
  { "another ship date is another shipment", PLACES,
    "C,O,T,S,Q\nA,1,X,2020-01-01,1\nA,1,X,2020-01-02,2\n", "A/1: 1=X(1*1) 2=X(2*2)\n" },
  { "numbers of the file", NUMBERED, "C,O,L,T,N\nA,1,7,X,30\nA,1,5,Y,20\nA,1,7,X,10\n",
    "A/1: 7=X(30* 10*) 5=Y(20*)\n" },
  { "default customer", PLAIN "[defaults]\norder.customer_number=GUEST\n",
    HEADER ",1,,1\n,1,,2\nA,2,,3\n", "GUEST/1: 1(1*1 2*2)\nA/2: 1(1*3)\n" },
};

/* A mapping that names no field of lines. */
static const Case without_lines[] = {
  { "an order", "[order]\ncustomer_number=C\norder_number=O\nsales_date=D\n",
    HEADER "A,1,2020-01-01,1\nA,2,,2\n", "A/1:\nA/2:\n" },
  { "the same order in several rows", "[order]\ncustomer_number=C\norder_number=O\n",
    HEADER "A,1,,1\nA,1,,2\n", "A/1:\n" },
  { "rows that contradict each other", "[order]\ncustomer_number=C\norder_number=O\nsales_date=D\n",
    HEADER "A,1,,1\nA,1,2020-01-01,2\n",
    "! \"3\",\"D\",\"“2020-01-01” contradicts line 2 of the same order: “nothing”\","
    "\"A,1,2020-01-01,2\"\n"
    "! \"2\",\"\",\"order 1 is rejected because of line 3\",\"A,1,,1\"\n" },
  { "an empty group", PLACES_ONLY "[line]\n", "C,O,T\nA,1,X\n", "A/1: 1=X)\n" },
  { "locations", PLACES_ONLY, "C,O,T\nA,1,X\nA,1,Y\nA,1,X\nA,2,\nA,3,\nA,3,Z\n",
    "A/1: 1=X) 2=Y)\nA/2:\nA/3: 1=Z)\n" },
  { "numbered locations", "[order]\ncustomer_number=C\norder_number=O\n[location]\nnumber=L\n",
    "C,O,L\nA,1,7\nA,1,5\n", "A/1: 7) 5)\n" },
  { "a line by default", PLAIN_ORDER "[defaults]\nline.quantity=1\n", "C,O\nA,1\nA,1\n",
    "A/1: 1(1*1 2*1)\n" },
};

/* Files as other programs write them; a city shows what became of a text. */
#define TEXT_MAP PLAIN_ORDER "[location]\naddress.city=T\n"

static const Case dialects[] = {
  { "no quotes", "[mapping]\nquotes=none\ndelimiter=tab\n" TEXT_MAP,
    "C\tO\tT\nA\t1\t\"Ltd edition print\nA\t2\tPlain\nA\t3\tTV stand 32\"\n",
    "A/1: 1=\"Ltd edition print)\nA/2: 1=Plain)\nA/3: 1=TV stand 32\")\n" },
  { "no quotes, and too few fields", "[mapping]\nquotes=none\n" TEXT_MAP, "C,O,T\n\"A,1\nB,1,x\n",
    "B/1: 1=x)\n! \"2\",\"\",\"has 2 fields where the header has 3\",\"\"\"A,1\"\n" },
  { "backslashes", "[mapping]\nescape=backslash\nnull=\\N|NULL\n" TEXT_MAP,
    "\"C\",\"O\",\"T\"\n\"A\",\"1\",\\N\n\"A\",\"2\",\"path C:\\\\orders\\\\\"\n"
    "\"A\",\"3\",\"line one\\\nline two\"\nA,4,NULL\n\"A\",\"5\",\"a \\\"b\\\", "
    "\"\"c\"\"\"\nA,6,x\\,y\\n\n",
    "A/1:\nA/2: 1=path C:\\orders\\)\nA/3: 1=line one\nline two)\nA/4:\n"
    "A/5: 1=a \"b\", \"c\")\nA/6: 1=x,y\n)\n" },
  { "backslashes, and an unknown customer", "[mapping]\nescape=backslash\nnull=\\N\n" TEXT_MAP,
    "C,O,T\n\\N,1,x\nA,2,\"y\\\\\"\n",
    "A/2: 1=y\\)\n! \"2\",\"C\",\"there is no customer number\",\"\\N,1,x\"\n" },
  { "backslashes, and the end of the file", "[mapping]\nescape=backslash\n" TEXT_MAP,
    "C,O,T\nA,1,x\nA,2,\"y\n",
    "A/1: 1=x)\n! \"3\",\"\",\"the file ends within quotes, or after a "
    "backslash\",\"A,2,\"\"y\"\n" },
  { "short rows", "[mapping]\nshort-rows=pad\n" PLAIN,
    "C,O,D,Q,,\nA,1,2016-11-08,2\nA,1,2016-11-08,1,,\nB,2,2016-11-08,1,\n,,,,,\n,,Total,20,,\n",
    "A/1: 1(1*2 2*1)\nB/2: 1(1*1)\n"
    "! \"5\",\"O\",\"there is no order number\",\",,,,,\"\n"
    "! \"6\",\"O\",\"there is no order number\",\",,Total,20,,\"\n" },
  { "a row that is too long for short rows", "[mapping]\nshort-rows=pad\n" PLAIN,
    HEADER "A,1,,1,5\nA,2\n",
    "A/2: 1(1*)\n! \"2\",\"\",\"has 5 fields where the header has 4\",\"A,1,,1,5\"\n" },
  { "spaces", "[mapping]\ntrim=true\n" PLAIN,
    "C, O ,D,Q\n C1,CA-1,,2\nC1 ,\"CA-1 \",, 3\n\" \",CA-3,,3\nC3,\" \",,3\n",
    "C1/CA-1: 1(1*2 2*3)\n"
    "! \"4\",\"C\",\"there is no customer number\",\"\"\" \"\",CA-3,,3\"\n"
    "! \"5\",\"O\",\"there is no order number\",\"C3,\"\" \"\",,3\"\n" },
  { "texts as formulas", TEXT_MAP,
    "C,O,T\n=\"0A\",=\"01\",=\"02139\"\n\"=\"\"0A\"\"\",\"=\"\"02\"\"\",\"=\"\"a, b\"\"\"\n"
    "A,3,\"x,=\"\"y\"\"\"\nA,4,=1\nA,5,\"=\"\"\"\"\"\nA,6,=\"\"\nA,7,\"a\n=\"\"b\"\"\"\n"
    "A,9,\"=\"\"a\"\" or \"\"b\"\"\"\nA,8,x=\"y\"\n",
    "0A/01: 1=02139)\n0A/02: 1=a, b)\nA/3: 1=x,=\"y\")\nA/4: 1==1)\nA/5:\nA/6:\n"
    "A/7: 1=a\n=\"b\")\nA/9: 1==\"a\" or \"b\")\n"
    "! \"11\",\"\",\"a quote stands within a field (line 11); quote the field and double the "
    "quotes "
    "in it\",\"A,8,x=\"\"y\"\"\"\n" },
  { "quotes within fields", "[mapping]\nquotes=loose\n" TEXT_MAP,
    "C,O,T\nA,1,24\"\" x 48\"\"\nA,2,\"a, \"\"b\"\"\"\nA,3,\"a\nb\"\nA,4,a\\,\n",
    "A/1: 1=24\"\" x 48\"\")\nA/2: 1=a, \"b\")\nA/3: 1=a\nb)\n"
    "! \"6\",\"\",\"has 4 fields where the header has 3\",\"A,4,a\\,\"\n" },
  { "lines above the header", "[mapping]\nskip-lines=2\n" PLAIN,
    "All amounts in USD, unless specified\n\"Other: \n" HEADER "A,1,,1\nA,x,,y\n",
    "A/1: 1(1*1)\n! \"5\",\"Q\",\"“y” is not a number of the form 1234.5 with at most 18 "
    "decimals\","
    "\"A,x,,y\"\n" },
  { "no header", "[mapping]\nheader=none\ncolumns=C; O;D;Q\n" PLAIN, "A,1,,1\nA,1,,2\nA,2,,3\n",
    "A/1: 1(1*1 2*2)\nA/2: 1(1*3)\n" },
  { "the header again", PLAIN,
    "\xef\xbb\xbf" HEADER "A,1,,1\n\xef\xbb\xbf" HEADER "A,2,,2\n" HEADER "A,2,,3\n",
    "A/1: 1(1*1)\nA/2: 1(1*2 2*3)\n" },
  { "numbers that a spreadsheet has rounded", PLAIN,
    HEADER "A,1.67187E+13,,1\nA,1.67187E+13,,2\nA,4E+5x,,3\n",
    "A/4E+5x: 1(1*3)\n"
    "! \"2\",\"O\",\"“1.67187E+13” was a long number, of which a spreadsheet has kept the first "
    "digits only; export the file again, with this column as text\",\"A,1.67187E+13,,1\"\n"
    "! \"3\",\"O\",\"“1.67187E+13” was a long number, of which a spreadsheet has kept the first "
    "digits only; export the file again, with this column as text\",\"A,1.67187E+13,,2\"\n" },
};

static const Case rejecting[] = {
  { "a bad row takes its order with it", PLAIN, HEADER "A,1,,1\nA,1,,x\nA,1,,3\nA,2,,4\n",
    "A/2: 1(1*4)\n"
    "! \"3\",\"Q\",\"“x” is not a number of the form 1234.5 with at most 18 decimals\","
    "\"A,1,,x\"\n"
    "! \"2\",\"\",\"order 1 is rejected because of line 3\",\"A,1,,1\"\n"
    "! \"4\",\"\",\"order 1 is rejected because of line 3\",\"A,1,,3\"\n" },
  { "contradiction", PLAIN, HEADER "A,1,2020-01-01,1\nA,1,2020-01-02,2\n",
    "! \"3\",\"D\",\"“2020-01-02” contradicts line 2 of the same order: “2020-01-01”\","
    "\"A,1,2020-01-02,2\"\n"
    "! \"2\",\"\",\"order 1 is rejected because of line 3\",\"A,1,2020-01-01,1\"\n" },
  { "absent contradicts present", PLAIN, HEADER "A,1,2020-01-01,1\nA,1,,2\n",
    "! \"3\",\"D\",\"“nothing” contradicts line 2 of the same order: “2020-01-01”\",\"A,1,,2\"\n"
    "! \"2\",\"\",\"order 1 is rejected because of line 3\",\"A,1,2020-01-01,1\"\n" },
  { "bad date", PLAIN, HEADER "A,1,2020-02-30,1\n",
    "! \"2\",\"D\",\"“2020-02-30” is not a date: February 2020 has no day "
    "30\",\"A,1,2020-02-30,1\"\n" },
  { "no customer number", PLAIN, HEADER ",1,,1\n,1,,2\nA,2,,3\n",
    "A/2: 1(1*3)\n"
    "! \"2\",\"C\",\"there is no customer number\",\",1,,1\"\n"
    "! \"3\",\"C\",\"there is no customer number\",\",1,,2\"\n" },
  { "no customer number in one row", PLAIN, HEADER "A,1,,1\n,1,,2\nA,1,,3\n",
    "! \"3\",\"C\",\"there is no customer number\",\",1,,2\"\n"
    "! \"2\",\"\",\"order 1 is rejected because of line 3\",\"A,1,,1\"\n"
    "! \"4\",\"\",\"order 1 is rejected because of line 3\",\"A,1,,3\"\n" },
  { "no customer number in the first row", PLAIN, HEADER ",1,,1\nA,1,,2\n",
    "! \"2\",\"C\",\"there is no customer number\",\",1,,1\"\n"
    "! \"3\",\"\",\"order 1 is rejected because of line 2\",\"A,1,,2\"\n" },
  { "order of an unknown customer comes back", PLAIN, HEADER ",1,,1\nA,2,,2\nA,1,,3\n",
    "A/2: 1(1*2)\n"
    "! \"2\",\"C\",\"there is no customer number\",\",1,,1\"\n"
    "! \"4\",\"\",\"order 1 is rejected because of line 2\",\"A,1,,3\"\n" },
  { "no order number within an order", PLAIN, HEADER "A,1,,1\nA,,,2\nA,1,,3\n",
    "! \"3\",\"O\",\"there is no order number\",\"A,,,2\"\n"
    "! \"2\",\"\",\"order 1 is rejected because of line 3\",\"A,1,,1\"\n"
    "! \"4\",\"\",\"order 1 is rejected because of line 3\",\"A,1,,3\"\n" },
  { "no order number between orders", PLAIN, HEADER "A,1,,1\nA,,,2\nA,2,,3\n",
    "A/1: 1(1*1)\nA/2: 1(1*3)\n"
    "! \"3\",\"O\",\"there is no order number\",\"A,,,2\"\n" },
  { "not utf-8 within an order", PLAIN, HEADER "A,1,,1\nA,1,,\xff\nA,2,,3\n",
    "A/2: 1(1*3)\n"
    "! \"3\",\"Q\",\"is not UTF-8: byte 0xff at position 1" CONVERT "\",\"A,1,,\xff\"\n"
    "! \"2\",\"\",\"order 1 is rejected because of line 3\",\"A,1,,1\"\n" },
  { "too few fields within an order", PLAIN, HEADER "A,1,,1\nA,1\nA,1,,3\n",
    "! \"3\",\"\",\"has 2 fields where the header has 4\",\"A,1\"\n"
    "! \"2\",\"\",\"order 1 is rejected because of line 3\",\"A,1,,1\"\n"
    "! \"4\",\"\",\"order 1 is rejected because of line 3\",\"A,1,,3\"\n" },
  { "unreadable row within an order", PLAIN, HEADER "A,1,,1\n\"x\"y\nA,1,,3\n",
    "! \"3\",\"\",\"a quote stands within a field (line 3); quote the field and double the quotes "
    "in it\",\"\"\"x\"\"y\"\n"
    "! \"2\",\"\",\"order 1 is rejected because of line 3\",\"A,1,,1\"\n"
    "! \"4\",\"\",\"order 1 is rejected because of line 3\",\"A,1,,3\"\n" },
  { "an unreadable row, and then a bad one", PLAIN, HEADER "A,1,,1\n\"x\"y\nA,1,,\xff\nA,1,,3\n",
    "! \"3\",\"\",\"a quote stands within a field (line 3); quote the field and double the quotes "
    "in it\",\"\"\"x\"\"y\"\n"
    "! \"2\",\"\",\"order 1 is rejected because of line 3\",\"A,1,,1\"\n"
    "! \"4\",\"Q\",\"is not UTF-8: byte 0xff at position 1" CONVERT "\",\"A,1,,\xff\"\n"
    "! \"5\",\"\",\"order 1 is rejected because of line 3\",\"A,1,,3\"\n" },
  { "a quote hides the number of a row between orders", PLAIN,
    HEADER "A,1,,1\nA,2,,2\n\"x\"y\nA,3,,3\nA,3,,4\nA,4,,5\n",
    "A/1: 1(1*1)\nA/4: 1(1*5)\n"
    "! \"4\",\"\",\"a quote stands within a field (line 4); quote the field and double the quotes "
    "in it\",\"\"\"x\"\"y\"\n"
    "! \"3\",\"\",\"order 2 is rejected because of line 4\",\"A,2,,2\"\n"
    "! \"5\",\"\",\"order 3 is rejected because of line 4\",\"A,3,,3\"\n"
    "! \"6\",\"\",\"order 3 is rejected because of line 4\",\"A,3,,4\"\n" },
  { "a quote hides the number of the first row", PLAIN, HEADER "\"x\"y\nA,1,,1\nA,2,,2\n",
    "A/2: 1(1*2)\n"
    "! \"2\",\"\",\"a quote stands within a field (line 2); quote the field and double the quotes "
    "in it\",\"\"\"x\"\"y\"\n"
    "! \"3\",\"\",\"order 1 is rejected because of line 2\",\"A,1,,1\"\n" },
  { "a quote hides the number of a row between parts of orders", PLAIN,
    HEADER "A,1,,1\nA,2,,2\nA,1,,3\n\"x\"y\nA,2,,4\nA,3,,5\n",
    "A/3: 1(1*5)\n"
    "! \"5\",\"\",\"a quote stands within a field (line 5); quote the field and double the quotes "
    "in it\",\"\"\"x\"\"y\"\n"
    "! \"2\",\"\",\"order 1 is rejected because of line 5\",\"A,1,,1\"\n"
    "! \"4\",\"\",\"order 1 is rejected because of line 5\",\"A,1,,3\"\n"
    "! \"3\",\"\",\"order 2 is rejected because of line 5\",\"A,2,,2\"\n"
    "! \"6\",\"\",\"order 2 is rejected because of line 5\",\"A,2,,4\"\n" },
  { "shifted row within an order", PLAIN, HEADER "A,1,,1\nA,B,1,,2\nA,1,,3\n",
    "! \"3\",\"\",\"has 5 fields where the header has 4\",\"A,B,1,,2\"\n"
    "! \"2\",\"\",\"order 1 is rejected because of line 3\",\"A,1,,1\"\n"
    "! \"4\",\"\",\"order 1 is rejected because of line 3\",\"A,1,,3\"\n" },
  { "unreadable first row of an order", PLAIN, HEADER "A,1,,1\nA,2\nA,2,,2\nA,3,,3\n",
    "A/1: 1(1*1)\nA/3: 1(1*3)\n"
    "! \"3\",\"\",\"has 2 fields where the header has 4\",\"A,2\"\n"
    "! \"4\",\"\",\"order 2 is rejected because of line 3\",\"A,2,,2\"\n" },
  { "line number twice, after a lower one", NUMBERED,
    "C,O,L,T,N\nA,1,1,X,5\nA,1,1,X,3\nA,1,1,X,5\n",
    "! \"4\",\"N\",\"the order has a line 5 already, in line 2 of the file\",\"A,1,1,X,5\"\n"
    "! \"2\",\"\",\"order 1 is rejected because of line 4\",\"A,1,1,X,5\"\n"
    "! \"3\",\"\",\"order 1 is rejected because of line 4\",\"A,1,1,X,3\"\n" },
  { "line number twice, in the second order whose numbers fall", NUMBERED,
    "C,O,L,T,N\nA,1,1,X,7\nA,1,1,X,6\nA,2,1,X,5\nA,2,1,X,4\nA,2,1,X,5\n",
    "A/1: 1=X(7* 6*)\n"
    "! \"6\",\"N\",\"the order has a line 5 already, in line 4 of the file\",\"A,2,1,X,5\"\n"
    "! \"4\",\"\",\"order 2 is rejected because of line 6\",\"A,2,1,X,5\"\n"
    "! \"5\",\"\",\"order 2 is rejected because of line 6\",\"A,2,1,X,4\"\n" },
  { "line number twice", NUMBERED, "C,O,L,T,N\nA,1,1,X,5\nA,1,2,Y,5\n",
    "! \"3\",\"N\",\"the order has a line 5 already, in line 2 of the file\",\"A,1,2,Y,5\"\n"
    "! \"2\",\"\",\"order 1 is rejected because of line 3\",\"A,1,1,X,5\"\n" },
  { "location contradicts", NUMBERED, "C,O,L,T,N\nA,1,1,X,5\nA,1,1,Y,6\n",
    "! \"3\",\"L\",\"location 1 contradicts line 2, where it has another name, address or date\","
    "\"A,1,1,Y,6\"\n"
    "! \"2\",\"\",\"order 1 is rejected because of line 3\",\"A,1,1,X,5\"\n" },
  { "no line number", NUMBERED, "C,O,L,T,N\nA,1,1,X,\n",
    "! \"2\",\"N\",\"“” is not a whole number from 1 to 2147483647\",\"A,1,1,X,\"\n" },
};

/* What a first pass over the whole file has to know: nothing is stored in part. Orders whose rows
 * are apart come last. */
static const Case disorder[] = {
  { "came back", PLAIN, HEADER "A,1,,1\nA,2,,2\nA,1,,3\nA,1,,4\nA,3,,5\n",
    "A/2: 1(1*2)\nA/3: 1(1*5)\nA/1: 1(1*1 2*3 3*4)\n" },
  { "three parts", PLAIN, HEADER "A,1,,1\nA,2,,2\nA,1,,3\nA,3,,4\nA,1,,5\n",
    "A/2: 1(1*2)\nA/3: 1(1*4)\nA/1: 1(1*1 2*3 3*5)\n" },
  { "all are apart", PLAIN,
    HEADER "A,10,,1\nA,1,,2\nB,1,,3\nA,2,,4\nA,10,,5\nA,2,,6\nB,1,,7\nA,1,,8\n",
    "A/1: 1(1*2 2*8)\nB/1: 1(1*3 2*7)\nA/10: 1(1*1 2*5)\nA/2: 1(1*4 2*6)\n" },
  { "quotes, and line ends in them", PLAIN,
    HEADER "\"A,B\",1,,1\nA,2,,2\n\"A,B\",1,,\"3\"\n\"A\"\"B\",1,,5\nA,2,,6\n",
    "A\"B/1: 1(1*5)\nA,B/1: 1(1*1 2*3)\nA/2: 1(1*2 2*6)\n" },
  { "locations of an order that is apart", PLACES,
    "C,O,T,S,Q\nA,1,X,,1\nA,2,Y,,2\nA,1,Y,,3\nA,2,X,,4\nA,1,X,,5\n",
    "A/1: 1=X(1*1 3*5) 2=Y(2*3)\nA/2: 1=Y(1*2) 2=X(2*4)\n" },
  { "a contradiction in an order that is apart", PLAIN,
    HEADER "A,1,2020-01-01,1\nA,2,,2\nA,1,2020-01-02,3\nA,1,2020-01-01,4\n",
    "A/2: 1(1*2)\n"
    "! \"4\",\"D\",\"“2020-01-02” contradicts line 2 of the same order: “2020-01-01”\","
    "\"A,1,2020-01-02,3\"\n"
    "! \"2\",\"\",\"order 1 is rejected because of line 4\",\"A,1,2020-01-01,1\"\n"
    "! \"5\",\"\",\"order 1 is rejected because of line 4\",\"A,1,2020-01-01,4\"\n" },
  { "an unreadable row within a part of an order", PLAIN,
    HEADER "A,1,,1\nA,2,,2\nA,1,,3\n\"x\"y\nA,1,,5\n",
    "A/2: 1(1*2)\n"
    "! \"5\",\"\",\"a quote stands within a field (line 5); quote the field and double the quotes "
    "in it\",\"\"\"x\"\"y\"\n"
    "! \"2\",\"\",\"order 1 is rejected because of line 5\",\"A,1,,1\"\n"
    "! \"4\",\"\",\"order 1 is rejected because of line 5\",\"A,1,,3\"\n"
    "! \"6\",\"\",\"order 1 is rejected because of line 5\",\"A,1,,5\"\n" },
  { "one number of two customers", PLAIN, HEADER "A,1,,1\nB,1,,2\nA,2,,3\nB,2,,4\n",
    "A/1: 1(1*1)\nB/1: 1(1*2)\nA/2: 1(1*3)\nB/2: 1(1*4)\n" },
  { "one of two customers is apart", PLAIN, HEADER "A,1,,1\nB,1,,2\nA,1,,3\n",
    "B/1: 1(1*2)\nA/1: 1(1*1 2*3)\n" },
  { "numbers by default", PLAIN "[defaults]\norder.customer_number=G\norder.order_number=1\n",
    HEADER ",,,1\nA,2,,2\nG,1,,3\n", "A/2: 1(1*2)\nG/1: 1(1*1 2*3)\n" },
  { "a bad row keeps its own reason", PLAIN, HEADER "A,1,,1\nA,2,,2\nA,1,,\xff\n",
    "A/2: 1(1*2)\n"
    "! \"4\",\"Q\",\"is not UTF-8: byte 0xff at position 1" CONVERT "\",\"A,1,,\xff\"\n"
    "! \"2\",\"\",\"order 1 is rejected because of line 4\",\"A,1,,1\"\n" },
  { "a short row elsewhere", PLAIN, HEADER "A,1,,1\nA,2,,2\nA,1\nB,1,,3\n",
    "A/2: 1(1*2)\nB/1: 1(1*3)\n"
    "! \"4\",\"\",\"has 2 fields where the header has 4\",\"A,1\"\n"
    "! \"2\",\"\",\"order 1 is rejected because of line 4\",\"A,1,,1\"\n" },
  { "a short row before", PLAIN, HEADER "A,1\nA,2,,2\nA,1,,1\n",
    "A/2: 1(1*2)\n"
    "! \"2\",\"\",\"has 2 fields where the header has 4\",\"A,1\"\n"
    "! \"4\",\"\",\"order 1 is rejected because of line 2\",\"A,1,,1\"\n" },
  { "a short row of no order", PLAIN, HEADER "A,1,,1\nA,7\nA,2,,2\n",
    "A/1: 1(1*1)\nA/2: 1(1*2)\n"
    "! \"3\",\"\",\"has 2 fields where the header has 4\",\"A,7\"\n" },
  { "a row that may be of any customer, at the end", PLAIN,
    HEADER "A,1,,1\nB,1,,2\nA,2,,3\n,1,,4\nA,11,,5\n",
    "A/2: 1(1*3)\nA/11: 1(1*5)\n"
    "! \"5\",\"C\",\"there is no customer number\",\",1,,4\"\n"
    "! \"2\",\"\",\"order 1 is rejected because of line 5\",\"A,1,,1\"\n"
    "! \"3\",\"\",\"order 1 is rejected because of line 5\",\"B,1,,2\"\n" },
  { "the same within the order of one", PLAIN, HEADER "A,1,,1\n,1,,2\nB,1,,3\n",
    "! \"3\",\"C\",\"there is no customer number\",\",1,,2\"\n"
    "! \"2\",\"\",\"order 1 is rejected because of line 3\",\"A,1,,1\"\n"
    "! \"4\",\"\",\"order 1 is rejected because of line 3\",\"B,1,,3\"\n" },
  { "a short row without a customer", PLAIN, HEADER "A,1,,1\nA,2,,2\n,1\n",
    "A/2: 1(1*2)\n"
    "! \"4\",\"\",\"has 2 fields where the header has 4\",\",1\"\n"
    "! \"2\",\"\",\"order 1 is rejected because of line 4\",\"A,1,,1\"\n" },
  { "a customer that is not UTF-8", PLAIN, HEADER "A,1,,1\nA,2,,2\nA\xff,1,,3\n",
    "A/2: 1(1*2)\n"
    "! \"4\",\"C\",\"is not UTF-8: byte 0xff at position 2" CONVERT "\",\"A\xff,1,,3\"\n"
    "! \"2\",\"\",\"order 1 is rejected because of line 4\",\"A,1,,1\"\n" },
  { "a customer with a NUL byte", PLAIN, HEADER "A,1,,1\nA,2,,2\nA~,1,,3\n",
    "A/2: 1(1*2)\n"
    "! \"4\",\"C\",\"holds a NUL byte\",\"A~,1,,3\"\n"
    "! \"2\",\"\",\"order 1 is rejected because of line 4\",\"A,1,,1\"\n" },
  { "nobody's order comes back", PLAIN, HEADER ",1,,1\nA,1,,2\nA,2,,3\n,1,,4\n",
    "A/2: 1(1*3)\n"
    "! \"2\",\"C\",\"there is no customer number\",\",1,,1\"\n"
    "! \"5\",\"C\",\"there is no customer number\",\",1,,4\"\n"
    "! \"3\",\"\",\"order 1 is rejected because of line 2\",\"A,1,,2\"\n" },
  { "numbers that look alike", PLAIN, HEADER "AB,1,,1\nAC,1,,2\nA,11,,3\nA1,1,,4\n",
    "AB/1: 1(1*1)\nAC/1: 1(1*2)\nA/11: 1(1*3)\nA1/1: 1(1*4)\n" },
  { "only the header", PLAIN, HEADER, "" },
};

static const Case customers[] = {
  { "customers",
    "[mapping]\nkind=customers\n[customer]\nnumber=C\nname=N\nphones=P;F\n"
    "address.city=T\nattribute.x=X\n",
    "C,N,P,F,T,X\nA,Ann,1,2,Rom,y\nB,,,3,,\nA,Ann,1,2,,\n,Z,,,,\nE,\xff,,,,\n",
    "{\"number\":\"A\",\"name\":\"Ann\",\"address\":{\"city\":\"Rom\"},\"phones\":[\"1\",\"2\"],"
    "\"attributes\":{\"x\":\"y\"}}\n"
    "{\"number\":\"B\",\"phones\":[\"3\"]}\n"
    "! \"4\",\"C\",\"customer A came earlier in this file, and differs\",\"A,Ann,1,2,,\"\n"
    "! \"5\",\"C\",\"there is no customer number\",\",Z,,,,\"\n"
    "! \"6\",\"N\",\"is not UTF-8: byte 0xff at position 1" CONVERT "\",\"E,\xff,,,,\"\n" },
  { "a customer out of a list of orders",
    "[mapping]\nkind=customers\n[customer]\nnumber=C\nname=N\n",
    "O,C,N\n1,A,Ann\n2,A,Ann\n3,B,\n4,A,Anna\n5,A,Ann\n6,B,\n",
    "{\"number\":\"A\",\"name\":\"Ann\"}\n"
    "again {\"number\":\"A\",\"name\":\"Ann\"}\n"
    "{\"number\":\"B\"}\n"
    "again {\"number\":\"A\",\"name\":\"Ann\"}\n"
    "again {\"number\":\"B\"}\n"
    "! \"5\",\"C\",\"customer A came earlier in this file, and differs\",\"4,A,Anna\"\n" },
  { "a customer's first row counts",
    "[mapping]\nkind=customers\n[customer]\nnumber=C\nname=N\nattribute.x=X\n",
    "C,N,X\nA,\"a\n1\",\nB,b,\nA,2,\nC\nC,\xff,\nC,c,\nA,3,\nAA,4,\nC,d,\n",
    "{\"number\":\"A\",\"name\":\"a\\n1\"}\n"
    "{\"number\":\"B\",\"name\":\"b\"}\n"
    "{\"number\":\"C\",\"name\":\"c\"}\n"
    "{\"number\":\"AA\",\"name\":\"4\"}\n"
    "! \"5\",\"C\",\"customer A came earlier in this file, and differs\",\"A,2,\"\n"
    "! \"6\",\"\",\"has 1 field where the header has 3\",\"C\"\n"
    "! \"7\",\"N\",\"is not UTF-8: byte 0xff at position 1" CONVERT "\",\"C,\xff,\"\n"
    "! \"9\",\"C\",\"customer A came earlier in this file, and differs\",\"A,3,\"\n"
    "! \"11\",\"C\",\"customer C came earlier in this file, and differs\",\"C,d,\"\n" },
};

static void
run_cases (const Case *cases, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      g_test_message ("%s", cases[i].name);
      g_autofree char *result = group (cases[i].map, cases[i].csv);
      g_assert_cmpstr (result, ==, cases[i].result);
    }
}

static void
test_grouping (void)
{
  run_cases (grouping, G_N_ELEMENTS (grouping));
}

static void
test_dialects (void)
{
  run_cases (dialects, G_N_ELEMENTS (dialects));
}

static void
test_without_lines (void)
{
  run_cases (without_lines, G_N_ELEMENTS (without_lines));
}

static void
test_rejecting (void)
{
  run_cases (rejecting, G_N_ELEMENTS (rejecting));
}

static void
test_disorder (void)
{
  run_cases (disorder, G_N_ELEMENTS (disorder));
}

static void
test_customers (void)
{
  run_cases (customers, G_N_ELEMENTS (customers));
}

/* 9,999 lines and a location are allowed, one more is not. */
static void
test_limit (void)
{
  g_autoptr (GString) csv = g_string_new (HEADER);
  for (guint i = 0; i < 9999; i++)
    g_string_append (csv, "A,1,,1\n");
  for (guint i = 0; i < 10000; i++)
    g_string_append (csv, "A,2,,1\n");
  g_autofree char *result = group (PLAIN, csv->str);
  g_auto (GStrv) lines = g_strsplit (result, "\n", -1);
  g_assert_true (g_str_has_prefix (lines[0], "A/1: 1(1*1 2*1 "));
  g_assert_cmpstr (lines[1], ==,
                   "! \"20000\",\"\",\"the order has more than 10000 lines and locations\","
                   "\"A,2,,1\"");
  g_assert_cmpstr (lines[2], ==,
                   "! \"10001\",\"\",\"order 2 is rejected because of line 20000\",\"A,2,,1\"");
  g_assert_cmpuint (g_strv_length (lines), ==, 1 + 10000 + 1);
}

/* The last row of a file may well be of the order before it, but not of the first one of the next.
 */
static void
test_end_of_file (void)
{
  static const char *const texts[] = { HEADER "A,1,,1\nA,2,,2\n\"x\"y\n",
                                       HEADER "A,3,,3\nA,4,,4\n" };
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) notes = g_string_new (NULL);
  g_autoptr (TallLoadFiles) files = tall_load_files_new ();
  g_autoptr (TallRejects) rejects = tall_rejects_new (NULL, &error);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autofree char *path = tall_test_write_file (texts[i], -1);
      g_autoptr (TallMapping) mapping = tall_mapping_parse ("m", PLAIN, -1, &error);
      g_autoptr (TallCsvReader) reader =
          must (tall_csv_reader_open (path, &mapping->dialect, TALL_CSV_MAX_ROW, &error));
      must (tall_mapping_bind_reader (mapping, reader, &error));
      g_remove (path);
      tall_load_files_add (files, g_steal_pointer (&reader), g_steal_pointer (&mapping));
    }
  tall_load_files_start (files);
  group_orders (files, rejects, notes);
  g_assert_cmpstr (notes->str, ==, "A/1: 1(1*1)\nA/3: 1(1*3)\nA/4: 1(1*4)\n");
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/load/grouper/grouping", test_grouping);
  g_test_add_func ("/load/grouper/dialects", test_dialects);
  g_test_add_func ("/load/grouper/without-lines", test_without_lines);
  g_test_add_func ("/load/grouper/rejecting", test_rejecting);
  g_test_add_func ("/load/grouper/disorder", test_disorder);
  g_test_add_func ("/load/grouper/customers", test_customers);
  g_test_add_func ("/load/grouper/limit", test_limit);
  g_test_add_func ("/load/grouper/end-of-file", test_end_of_file);
  return g_test_run ();
}
