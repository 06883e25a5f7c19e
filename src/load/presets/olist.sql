-- Olist's data set of Brazilian orders:
--   load … orders=olist_orders_dataset.csv items=olist_order_items_dataset.csv \
--          customers=olist_customers_dataset.csv
-- An item is one piece. Orders without items are left out.
SELECT customers.customer_unique_id AS customer_number,
       orders.order_id AS order_number,
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
       items.price AS "line.price"
FROM orders
     JOIN items ON items.order_id = orders.order_id
     LEFT JOIN customers ON customers.customer_id = orders.customer_id
