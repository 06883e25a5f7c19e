-- load: skip-lines=7
-- A refund is an order of its own; a transfer is none.
SELECT "order id" AS customer_number,
       "order id" || iif("type" = 'Refund', '-refund', '') AS order_number,
       date_of("date/time", '%b %d, %Y %I:%M:%S %p %Z', 'America/Los_Angeles') AS sales_date,
       'USD' AS currency,
       "order city" AS "location.address.city",
       "order state" AS "location.address.state",
       "order postal" AS "location.address.zip",
       "sku" AS "line.item_number",
       "description" AS "line.description",
       "quantity" AS "line.quantity",
       dec_div(number("product sales", '1,234.5'), "quantity", 6) AS "line.price",
       line
FROM csv
WHERE "type" IN ('Order', 'Refund')
