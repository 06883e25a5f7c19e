-- Olist's data set of Brazilian orders:
--   load … orders=olist_orders_dataset.csv items=olist_order_items_dataset.csv \
--          customers=olist_customers_dataset.csv
-- An item is one piece. Items without an order are rejected; orders without items, most of which
-- were canceled, are left out, and count as looked up.
SELECT customers.customer_unique_id AS customer_number,
       items.order_id AS order_number,
       orders.order_purchase_timestamp AS sales_date,
       'BRL' AS currency,
       orders.order_status AS "attribute.status",
       customers.customer_city AS "location.address.city",
       customers.customer_state AS "location.address.state",
       customers.customer_zip_code_prefix AS "location.address.zip",
       orders.order_delivered_carrier_date AS "location.ship_date",
       items.order_item_id AS "line.number",
       items.product_id AS "line.item_number",
       1 AS "line.quantity",
       items.price AS "line.price",
       items.line AS line
FROM items
     LEFT JOIN orders ON orders.order_id = items.order_id
     LEFT JOIN customers ON customers.customer_id = orders.customer_id
