-- A discount is an amount, or, with a percent sign, a rate.
SELECT "Customer" AS customer_number,
       "Order" AS order_number,
       "SKU" AS "line.item_number",
       "Qty" AS "line.quantity",
       "Price" AS "line.price",
       CASE WHEN "Lineitem discount" GLOB '*%' THEN number("Lineitem discount", '1234.5%')
            ELSE discount_rate(number("Lineitem discount", '$1234.5'), "Price", "Qty")
       END AS "line.discount",
       line
FROM csv
