-- load: delimiter=tab quotes=none
-- Amazon's report “All Orders”. It does not say who has bought: each order has a customer of its own.
-- item-price is that of all pieces: a price has at most six decimals.
SELECT "amazon-order-id" AS customer_number,
       "amazon-order-id" AS order_number,
       "purchase-date" AS sales_date,
       "currency" AS currency,
       "order-status" AS "attribute.status",
       "sales-channel" AS "attribute.channel",
       "ship-city" AS "location.address.city",
       "ship-state" AS "location.address.state",
       "ship-postal-code" AS "location.address.zip",
       "ship-country" AS "location.address.country",
       "sku" AS "line.item_number",
       "product-name" AS "line.description",
       "quantity" AS "line.quantity",
       dec_div("item-price", nullif("quantity", '0'), 6) AS "line.price",
       discount_rate("item-promotion-discount", "item-price", '1') AS "line.discount",
       line
FROM csv
