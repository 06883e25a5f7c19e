-- load: delimiter=tab quotes=none
-- Amazon's report “All Orders”. It does not say who has bought: each order has a customer of its own.
-- item-price is that of all pieces: a price has at most six decimals. In North America taxes come on
-- top of the prices; elsewhere they are in them.
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
       "item-promotion-discount" AS "line.discount_amount",
       "shipping-price" AS "line.adjustment.shipping",
       dec_sub('0', "ship-promotion-discount") AS "line.adjustment.shipping_discount",
       "gift-wrap-price" AS "line.adjustment.gift_wrap",
       CASE WHEN "currency" IN ('USD', 'CAD') THEN "item-tax" END AS "line.adjustment.tax",
       CASE WHEN "currency" IN ('USD', 'CAD') THEN "shipping-tax" END
         AS "line.adjustment.shipping_tax",
       CASE WHEN "currency" IN ('USD', 'CAD') THEN "gift-wrap-tax" END
         AS "line.adjustment.gift_wrap_tax",
       line
FROM csv
