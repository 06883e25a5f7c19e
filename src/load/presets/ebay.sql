-- load: skip-lines=1 short-rows=pad
-- eBay's “Orders” report. It has an empty line above the header, and lines below the last order. An
-- order of several lines has a row of its own with the address and the sum, which is not a line. A
-- currency sign before an amount may be any. Some reports have no streets and states, or no shipping
-- and taxes; an order's are in its first row.
SELECT "Buyer Username" AS customer_number,
       "Order Number" AS order_number,
       date_of("Sale Date", '%b-%d-%y', 'UTC', 2000) AS sales_date,
       "Sales Record Number" AS "attribute.sales_record_number",
       number(shipping, '1,234.5') AS "adjustment.shipping",
       number(tax, '1,234.5') AS "adjustment.tax",
       number(ebay_tax, '1,234.5') AS "adjustment.ebay_collected_tax",
       name AS "location.name",
       line1 AS "location.address.line1",
       line2 AS "location.address.line2",
       city AS "location.address.city",
       state AS "location.address.state",
       zip AS "location.address.zip",
       country AS "location.address.country",
       coalesce(nullif("Custom Label", ''), "Item Number") AS "line.item_number",
       "Item Title" AS "line.description",
       "Quantity" AS "line.quantity",
       number(ltrim("Sold For", 'ABCDEFGHIJKLMNOPQRSTUVWXYZ $£€'), '1,234.5') AS "line.price",
       line
FROM (SELECT *,
             line,
             last_filled("Ship To Name") OVER o AS name,
             last_filled("row" ->> 'Ship To Address 1') OVER o AS line1,
             last_filled("row" ->> 'Ship To Address 2') OVER o AS line2,
             last_filled("Ship To City") OVER o AS city,
             last_filled("row" ->> 'Ship To State') OVER o AS state,
             last_filled("Ship To Zip") OVER o AS zip,
             last_filled("Ship To Country") OVER o AS country,
             first_value(ltrim("row" ->> 'Shipping And Handling',
                               'ABCDEFGHIJKLMNOPQRSTUVWXYZ $£€')) OVER o AS shipping,
             first_value(ltrim("row" ->> 'Seller Collected Tax',
                               'ABCDEFGHIJKLMNOPQRSTUVWXYZ $£€')) OVER o AS tax,
             first_value(ltrim("row" ->> 'eBay Collected Tax',
                               'ABCDEFGHIJKLMNOPQRSTUVWXYZ $£€')) OVER o AS ebay_tax
      FROM csv
      WHERE "Order Number" <> ''
      WINDOW o AS (PARTITION BY "Order Number" ORDER BY line))
WHERE "Item Number" <> ''
