-- load: delimiter=pipe quotes=none
-- load orders: header=none columns=o_orderkey;o_custkey;o_orderstatus;o_totalprice;o_orderdate;o_orderpriority;o_clerk;o_shippriority;o_comment;o_end
-- load lines: header=none columns=l_orderkey;l_partkey;l_suppkey;l_linenumber;l_quantity;l_extendedprice;l_discount;l_tax;l_returnflag;l_linestatus;l_shipdate;l_commitdate;l_receiptdate;l_shipinstruct;l_shipmode;l_comment;l_end
-- TPC-H's tables, as dbgen writes them: load … orders=orders.tbl lines=lineitem.tbl
-- An order without lines is rejected, and lines without their order are.
-- l_extendedprice is that of all pieces: a price has at most six decimals.
SELECT o_custkey AS customer_number,
       numbers.number AS order_number,
       o_orderdate AS sales_date,
       o_orderstatus AS "attribute.status",
       o_orderpriority AS "attribute.priority",
       o_clerk AS "attribute.clerk",
       o_comment AS "attribute.comment",
       l_linenumber AS "line.number",
       l_partkey AS "line.item_number",
       l_quantity AS "line.quantity",
       dec_div(l_extendedprice, l_quantity, 6) AS "line.price",
       l_discount AS "line.discount",
       coalesce(lines.line, orders.line) AS line
FROM (SELECT o_orderkey AS number FROM orders UNION SELECT l_orderkey FROM lines) AS numbers
     LEFT JOIN orders ON o_orderkey = numbers.number
     LEFT JOIN lines ON l_orderkey = numbers.number
