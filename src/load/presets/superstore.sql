-- load: encoding=WINDOWS-1252 quotes=loose
-- Tableau's “Sample - Superstore”. Sales is the total of a line after its discount: a price that
-- has at most six decimals.
SELECT "Customer ID" AS customer_number,
       "Order ID" AS order_number,
       date_of("Order Date", 'mdy') AS sales_date,
       'USD' AS currency,
       "Ship Mode" AS "attribute.ship_mode",
       "Segment" AS "attribute.segment",
       "Customer Name" AS "location.name",
       "City" AS "location.address.city",
       "State" AS "location.address.state",
       "Postal Code" AS "location.address.zip",
       "Country" AS "location.address.country",
       date_of("Ship Date", 'mdy') AS "location.ship_date",
       "Product ID" AS "line.item_number",
       "Product Name" AS "line.description",
       "Quantity" AS "line.quantity",
       dec_div("Sales", dec_mul("Quantity", dec_sub('1', "Discount")), 6) AS "line.price",
       "Discount" AS "line.discount",
       line
FROM csv
