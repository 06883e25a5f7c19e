-- WooCommerce's export of orders, a row an order, its lines in columns line_item_1, line_item_2, …:
-- name:Mug|sku:MUG|quantity:2|total:40.00|sub_total:40.00. Refunds are amount:40.00|reason:…
SELECT customer_email AS customer_number,
       order_number,
       order_date AS sales_date,
       order_currency AS currency,
       status AS "attribute.status",
       csv."row" ->> 'shipping_total' AS "adjustment.shipping",
       csv."row" ->> 'tax_total' AS "adjustment.tax",
       csv."row" ->> 'fee_total' AS "adjustment.fee",
       csv."row" ->> 'discount_total' AS discount_amount,
       (SELECT dec_div(sum(CAST(dec_mul(substr(value, 8), '1000', 0) AS INTEGER)), '1000', 3)
        FROM split(replace(csv.refund_items, ';', '|'), '|') WHERE value GLOB 'amount:*')
         AS refund_amount,
       csv."row" ->> 'billing_address_1' AS "billing_address.line1",
       csv."row" ->> 'billing_address_2' AS "billing_address.line2",
       csv."row" ->> 'billing_city' AS "billing_address.city",
       csv."row" ->> 'billing_state' AS "billing_address.state",
       csv."row" ->> 'billing_postcode' AS "billing_address.zip",
       csv."row" ->> 'billing_country' AS "billing_address.country",
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
