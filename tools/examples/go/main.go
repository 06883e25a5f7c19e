// SPDX-FileCopyrightText: The tallorder authors
// SPDX-License-Identifier: Apache-2.0

// Adds items to an order, a line each, while others may do the same, and one more of the first of
// them; then lists the customer's orders, and says whose orders of that number there are. An item
// that the order has is not added again.
//
//	add-items ADDRESS CUSTOMER ORDER ITEM...
//	add-items -ca ca.crt -certificate web.crt -key web.key localhost:7654 CUSTOMER ORDER ITEM...
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"math/rand"
	"os"
	"time"

	"shop/gen-go/tallorder"
)

const (
	firstPause   = 10 * time.Millisecond
	longestPause = time.Second
)

func main() {
	log.SetFlags(0)
	rand.Seed(time.Now().UnixNano()) // which Go 1.20 does by itself
	ca := flag.String("ca", "", "certificates of whom to trust; without it, there is no TLS")
	certificate := flag.String("certificate", "", "our certificate")
	key := flag.String("key", "", "our key")
	flag.Parse()
	if flag.NArg() < 4 {
		log.Print("Usage: add-items [OPTIONS] ADDRESS CUSTOMER ORDER ITEM...")
		os.Exit(2)
	}
	shop, err := Open(flag.Arg(0), *ca, *certificate, *key)
	if err != nil {
		log.Fatal(err)
	}
	defer shop.Close()
	ctx := context.Background()
	for _, item := range flag.Args()[3:] {
		if err := addItem(ctx, shop, flag.Arg(1), flag.Arg(2), item); err != nil {
			log.Fatal(err)
		}
	}
	if err := addOneMore(ctx, shop, flag.Arg(1), flag.Arg(2), flag.Arg(3)); err != nil {
		log.Fatal(err)
	}
	if err := list(ctx, shop, flag.Arg(1)); err != nil {
		log.Fatal(err)
	}
	if err := find(ctx, shop, flag.Arg(2)); err != nil {
		log.Fatal(err)
	}
}

// addItem reads the order, changes it, and writes it if nobody else has written it meanwhile;
// otherwise it begins again, after a pause that grows, and is not that of the others.
func addItem(ctx context.Context, shop *Shop, customer, number, item string) error {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		order, revision, err := shop.GetOrder(ctx, customer, number)
		if Is(err, tallorder.ErrorCode_NOT_FOUND) {
			order = &tallorder.Order{CustomerNumber: customer, OrderNumber: number,
				ShippingLocations: []*tallorder.ShippingLocation{{Number: 1}}}
		} else if err != nil {
			return err
		}
		if !appendItem(order, item) {
			return nil
		}
		err = shop.PutOrder(ctx, order, revision)
		if !Is(err, tallorder.ErrorCode_CONFLICT) && !IsLost(err) {
			return err
		} // else the next look shows what is stored
		time.Sleep(time.Duration(rand.Int63n(int64(pause))))
	}
}

// addOneMore changes a part of the order, whatever others change meanwhile.
func addOneMore(ctx context.Context, shop *Shop, customer, number, item string) error {
	order, revision, err := shop.GetOrder(ctx, customer, number)
	if err != nil {
		return err
	}
	for _, location := range order.ShippingLocations {
		for _, line := range location.LineItems {
			if line.GetItemNumber() == item {
				change := fmt.Sprintf("line[%d].quantity+=1", line.Number)
				return shop.PatchOrder(ctx, customer, number, []string{change}, revision)
			}
		}
	}
	return fmt.Errorf("somebody has removed %s", item)
}

func min(one, other time.Duration) time.Duration {
	if one < other {
		return one
	}
	return other
}

// appendItem returns false if the order has the item: perhaps by a write whose answer was lost.
func appendItem(order *tallorder.Order, item string) bool {
	last := int32(0)
	for _, location := range order.ShippingLocations {
		for _, line := range location.LineItems {
			if line.GetItemNumber() == item {
				return false
			}
			if line.Number > last {
				last = line.Number
			}
		}
	}
	if len(order.ShippingLocations) == 0 {
		order.ShippingLocations = []*tallorder.ShippingLocation{{Number: 1}}
	}
	first := order.ShippingLocations[0]
	first.LineItems = append(first.LineItems, &tallorder.LineItem{
		Number:     last + 1,
		ItemNumber: &item,
		Quantity:   &tallorder.Decimal{Unscaled: 1},
		Price:      &tallorder.Decimal{Unscaled: 1400, Scale: 2}, // 14.00
	})
	return true
}

// list prints the customer's orders, the newest first, page by page.
func list(ctx context.Context, shop *Shop, customer string) error {
	var page *string
	for {
		found, err := shop.ListOrders(ctx, customer, page)
		if err != nil {
			return err
		}
		for _, entry := range found.Entries {
			fmt.Println(entry.OrderNumber, entry.Lines)
		}
		for _, unreadable := range found.Unreadable {
			return errors.New(unreadable.Message)
		}
		if page = found.NextPage; page == nil {
			return nil
		}
	}
}

// find prints the orders of that number, whosever they are, by the index number=order_number.
func find(ctx context.Context, shop *Shop, number string) error {
	var page *string
	for {
		found, err := shop.FindOrders(ctx, []string{"order_number=" + number}, page)
		if err != nil {
			return err
		}
		for _, outcome := range found.Orders {
			if outcome.Failure != nil {
				return outcome.Failure
			}
			fmt.Println(outcome.Result_.Order.OrderNumber, "of", outcome.Result_.Order.CustomerNumber)
		}
		if page = found.NextPage; page == nil {
			return nil
		}
	}
}
