-- WooCommerce's export of orders, a row an order, its lines in columns line_item_1, line_item_2, …:
-- name:Mug|sku:MUG|quantity:2|total:40.00|sub_total:40.00. A refund's amount is an attribute.
SELECT customer_email AS customer_number,
       order_number,
       order_date AS sales_date,
       order_currency AS currency,
       status AS "attribute.status",
       order_total AS "attribute.total",
       refund_items AS "attribute.refund",
       shipping_first_name || ' ' || shipping_last_name AS "location.name",
       shipping_city AS "location.address.city",
       shipping_country AS "location.address.country",
       substr(item."key", 11) AS "line.number",
       (SELECT substr(value, 5) FROM split(item.value, '|') WHERE value GLOB 'sku:*')
         AS "line.item_number",
       (SELECT substr(value, 6) FROM split(item.value, '|') WHERE value GLOB 'name:*')
         AS "line.description",
       (SELECT substr(value, 10) FROM split(item.value, '|') WHERE value GLOB 'quantity:*')
         AS "line.quantity",
       (SELECT dec_div(substr(total.value, 11), substr(pieces.value, 10), 6)
        FROM split(item.value, '|') AS total, split(item.value, '|') AS pieces
        WHERE total.value GLOB 'sub_total:*' AND pieces.value GLOB 'quantity:*') AS "line.price",
       line
FROM csv, json_each(csv."row") AS item
WHERE item."key" GLOB 'line_item_[0-9]*' AND item.value <> ''
