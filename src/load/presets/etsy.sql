-- Etsy's “Sold Order Items”: a row a line. The discount of a line is an amount. Some
-- files have no second line of an address, and no SKU.
SELECT "Buyer" AS customer_number,
       "Order ID" AS order_number,
       date_of("Sale Date", 'mdy', 'UTC', 2000) AS sales_date,
       "Currency" AS currency,
       number("row" ->> 'Order Shipping', '1,234.5') AS "adjustment.shipping",
       number("row" ->> 'Order Sales Tax', '1,234.5') AS "adjustment.tax",
       "Ship Name" AS "location.name",
       "Ship Address1" AS "location.address.line1",
       "row" ->> 'Ship Address2' AS "location.address.line2",
       "Ship City" AS "location.address.city",
       "Ship State" AS "location.address.state",
       "Ship Zipcode" AS "location.address.zip",
       "Ship Country" AS "location.address.country",
       date_of("Date Shipped", 'mdy', 'UTC', 2000) AS "location.ship_date",
       coalesce(nullif("row" ->> 'SKU', ''), "Listing ID") AS "line.item_number",
       "Item Name" AS "line.description",
       "Quantity" AS "line.quantity",
       number("Price", '1,234.5') AS "line.price",
       number("Discount Amount", '1,234.5') AS "line.discount_amount",
       line
FROM csv
