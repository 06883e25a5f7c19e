// SPDX-FileCopyrightText: The tallorder authors
// SPDX-License-Identifier: Apache-2.0

import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.thrift.TException;
import org.tallorder.thrift.Decimal;
import org.tallorder.thrift.ErrorCode;
import org.tallorder.thrift.FindResult;
import org.tallorder.thrift.LineItem;
import org.tallorder.thrift.Order;
import org.tallorder.thrift.OrderEntry;
import org.tallorder.thrift.OrderList;
import org.tallorder.thrift.OrderOutcome;
import org.tallorder.thrift.OrderResult;
import org.tallorder.thrift.ShippingLocation;
import org.tallorder.thrift.TallError;

/**
 * Adds items to an order, a line each, while others may do the same, and one more of the first of
 * them; then lists the customer's orders, and says whose orders of that number there are. An item
 * that the order has is not added again.
 *
 * <p>Arguments: ADDRESS CUSTOMER ORDER ITEM... For TLS, the usual properties javax.net.ssl.trustStore,
 * keyStore and their passwords, and -Dtls=true.
 */
public final class AddItems {
  private static final long FIRST_PAUSE = 10; // milliseconds
  private static final long LONGEST_PAUSE = 1_000;

  public static void main(String[] arguments) {
    if (arguments.length < 4) {
      System.err.println("Usage: AddItems ADDRESS CUSTOMER ORDER ITEM...");
      System.exit(2);
    }
    try (Shop shop = new Shop(arguments[0], Boolean.getBoolean("tls"))) {
      for (String item : List.of(arguments).subList(3, arguments.length)) {
        addItem(shop, arguments[1], arguments[2], item);
      }
      addOneMore(shop, arguments[1], arguments[2], arguments[3]);
      list(shop, arguments[1]);
      find(shop, arguments[2]);
    } catch (TallError refused) {
      System.err.println(refused.code + ": " + refused.message);
      System.exit(1);
    } catch (IllegalArgumentException | TException failure) {
      System.err.println(failure.getMessage());
      System.exit(1);
    }
  }

  /**
   * Reads the order, changes it, and writes it if nobody else has meanwhile; or begins again, after a
   * pause that grows, and is not that of the others.
   */
  private static void addItem(Shop shop, String customer, String number, String item) throws TException {
    for (long pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      OrderResult found = look(shop, customer, number);
      if (!append(found.order, item)) {
        return;
      }
      try {
        shop.putOrder(found.order, found.revision);
        return;
      } catch (TException failure) {
        if (!isConflict(failure) && !Shop.isLost(failure)) {
          throw failure;
        } // else the next look shows what is stored
      }
      Shop.pause(ThreadLocalRandom.current().nextLong(pause));
    }
  }

  /** Changes a part of the order, whatever others change meanwhile. */
  private static void addOneMore(Shop shop, String customer, String number, String item) throws TException {
    OrderResult found = shop.getOrder(customer, number);
    for (ShippingLocation location : found.order.shipping_locations) {
      for (LineItem line : location.line_items) {
        if (item.equals(line.item_number)) {
          String change = "line[" + line.number + "].quantity+=1";
          shop.patchOrder(customer, number, List.of(change), found.revision);
          return;
        }
      }
    }
    throw new TException("somebody has removed " + item);
  }

  private static boolean isConflict(TException failure) {
    return failure instanceof TallError && ((TallError) failure).code == ErrorCode.CONFLICT;
  }

  /** The order, or a new one with the revision 0. */
  private static OrderResult look(Shop shop, String customer, String number) throws TException {
    try {
      return shop.getOrder(customer, number);
    } catch (TallError refused) {
      if (refused.code != ErrorCode.NOT_FOUND) {
        throw refused;
      }
      Order order = new Order().setCustomer_number(customer).setOrder_number(number);
      return new OrderResult(order, 0);
    }
  }

  /** Returns false if the order has the item: perhaps by a write whose answer was lost. */
  private static boolean append(Order order, String item) {
    int last = 0;
    if (order.getShipping_locationsSize() == 0) {
      order.addToShipping_locations(new ShippingLocation().setNumber(1));
    }
    for (ShippingLocation location : order.shipping_locations) {
      for (int i = 0; i < location.getLine_itemsSize(); i++) {
        LineItem line = location.line_items.get(i);
        if (item.equals(line.item_number)) {
          return false;
        }
        last = Math.max(last, line.number);
      }
    }
    LineItem line = new LineItem().setNumber(last + 1).setItem_number(item);
    line.setQuantity(new Decimal(1, 0)).setPrice(new Decimal(1400, 2)); // 14.00
    order.shipping_locations.get(0).addToLine_items(line);
    return true;
  }

  /** Prints the customer's orders, the newest first, page by page. */
  private static void list(Shop shop, String customer) throws TException {
    String page = null;
    do {
      OrderList found = shop.listOrders(customer, page);
      for (OrderEntry entry : found.entries) {
        System.out.println(entry.order_number + " " + entry.lines);
      }
      if (found.getUnreadableSize() > 0) {
        throw new TException(found.unreadable.get(0).message);
      }
      page = found.next_page;
    } while (page != null);
  }

  /** Prints the orders of that number, whosever they are, by the index number=order_number. */
  private static void find(Shop shop, String number) throws TException {
    String page = null;
    do {
      FindResult found = shop.findOrders(List.of("order_number=" + number), page);
      for (OrderOutcome outcome : found.orders) {
        if (outcome.failure != null) {
          throw outcome.failure;
        }
        System.out.println(outcome.result.order.order_number + " of " + outcome.result.order.customer_number);
      }
      page = found.next_page;
    } while (page != null);
  }
}
