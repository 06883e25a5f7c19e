// SPDX-FileCopyrightText: The tallorder authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/apache/thrift/lib/go/thrift"

	"shop/gen-go/tallorder"
)

const (
	attempts = 6
	pageSize = 100
)

// Shop is a connection to a server. It sends a call again where that does no harm: reads, what was
// certainly not done, and replacements and patches whose answer was lost, by their tokens. It is for one
// goroutine.
type Shop struct {
	transport thrift.TTransport
	client    *tallorder.OrderServiceClient
}

// Open connects with the first call. Without a file of trusted certificates there is no TLS.
func Open(address, ca, certificate, key string) (*Shop, error) {
	settings := &thrift.TConfiguration{ConnectTimeout: time.Second, SocketTimeout: 15 * time.Second}
	var socket thrift.TTransport = thrift.NewTSocketConf(address, settings)
	if ca != "" {
		var err error
		if settings.TLSConfig, err = makeTLS(ca, certificate, key); err != nil {
			return nil, err
		}
		socket = thrift.NewTSSLSocketConf(address, settings)
	}
	transport := thrift.NewTFramedTransportConf(socket, settings)
	protocol := thrift.NewTBinaryProtocolFactoryConf(settings)
	return &Shop{transport, tallorder.NewOrderServiceClientFactory(transport, protocol)}, nil
}

func makeTLS(ca, certificate, key string) (*tls.Config, error) {
	trusted, err := os.ReadFile(ca)
	if err != nil {
		return nil, err
	}
	config := &tls.Config{RootCAs: x509.NewCertPool(), MinVersion: tls.VersionTLS12}
	if !config.RootCAs.AppendCertsFromPEM(trusted) {
		return nil, fmt.Errorf("%s holds no certificate", ca)
	}
	if certificate == "" {
		return config, nil
	}
	own, err := tls.LoadX509KeyPair(certificate, key)
	config.Certificates = []tls.Certificate{own}
	return config, err
}

// Close ends the connection.
func (shop *Shop) Close() { shop.transport.Close() }

// GetOrder returns an order and its revision.
func (shop *Shop) GetOrder(ctx context.Context, customer, number string) (*tallorder.Order, int64, error) {
	var result *tallorder.OrderResult_
	err := shop.try(ctx, true, func() (err error) {
		result, err = shop.client.GetOrder(ctx, customer, number)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	return result.Order, result.Revision, nil
}

// PutOrder stores an order if the revision is the one that is stored, 0: if none is. Its token says
// that a second copy is the same write. If IsLost of its error, a new order may be stored or not.
func (shop *Shop) PutOrder(ctx context.Context, order *tallorder.Order, revision int64) error {
	token := make([]byte, 16)
	rand.Read(token)
	condition := tallorder.WriteCondition_ABSENT
	options := &tallorder.WriteOptions{Condition: &condition, Token: token}
	if revision != 0 {
		condition = tallorder.WriteCondition_REVISION
		options.Revision = &revision
	}
	return shop.try(ctx, revision != 0, func() error {
		_, err := shop.client.PutOrder(ctx, order, options)
		return err
	})
}

// PatchOrder changes parts of an order, whatever others change meanwhile. Its token and the base, a
// revision that the caller has seen, make sure that it is done once, however often it is sent.
func (shop *Shop) PatchOrder(ctx context.Context, customer, number string, changes []string, base int64) error {
	token := make([]byte, 16)
	rand.Read(token)
	request := &tallorder.PatchOrderRequest{CustomerNumber: customer, OrderNumber: number, Changes: changes,
		Options: &tallorder.WriteOptions{Token: token}, BaseRevision: &base}
	isLost := false // a copy of which nobody knows whether it was done
	return shop.try(ctx, true, func() error {
		_, err := shop.client.PatchOrder(ctx, request)
		var refused *tallorder.TallError
		if errors.As(err, &refused) && refused.Revision != nil && IsLost(err) && !isLost {
			request.BaseRevision = refused.Revision // this copy has done nothing, and was the first
		} else if IsLost(err) {
			isLost = true
		}
		return err
	})
}

// ListOrders returns a page; the first one, if none is named.
func (shop *Shop) ListOrders(ctx context.Context, customer string, page *string) (*tallorder.OrderList, error) {
	limit := int32(pageSize)
	request := &tallorder.ListOrdersRequest{CustomerNumber: customer, Limit: &limit, Page: page}
	var list *tallorder.OrderList
	err := shop.try(ctx, true, func() (err error) {
		list, err = shop.client.ListOrders(ctx, request)
		return err
	})
	return list, err
}

// FindOrders returns a page of orders of all customers, their summaries, each value being FIELD=VALUE;
// the first page, if none is named.
func (shop *Shop) FindOrders(ctx context.Context, values []string, page *string) (*tallorder.FindResult_, error) {
	limit, kind := int32(pageSize), tallorder.PartKind_SUMMARY
	request := &tallorder.FindRequest{Values: values, Limit: &limit, Page: page, Part: &tallorder.OrderPart{Kind: &kind}}
	var found *tallorder.FindResult_
	err := shop.try(ctx, true, func() (err error) {
		found, err = shop.client.FindOrders(ctx, request)
		return err
	})
	return found, err
}

func (shop *Shop) try(ctx context.Context, lostToo bool, call func() error) error {
	var err error
	for attempt := 0; attempt < attempts; attempt++ {
		if err = shop.call(call); err == nil || !isNotDone(err) && !(lostToo && IsLost(err)) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(50 * time.Millisecond << attempt):
		}
	}
	return err
}

// call opens the connection if need be. After a failure of the transport it is of no more use.
func (shop *Shop) call(call func() error) error {
	if !shop.transport.IsOpen() {
		if err := shop.transport.Open(); err != nil {
			return err
		}
	}
	err := call()
	var refused *tallorder.TallError
	if err != nil && !errors.As(err, &refused) {
		shop.transport.Close()
	}
	return err
}

// Is reports whether a call was refused for one of the reasons.
func Is(err error, codes ...tallorder.ErrorCode) bool {
	var refused *tallorder.TallError
	if !errors.As(err, &refused) {
		return false
	}
	for _, code := range codes {
		if refused.Code == code {
			return true
		}
	}
	return false
}

// IsLost reports whether a write may have been done or not.
func IsLost(err error) bool {
	var transport thrift.TTransportException
	return Is(err, tallorder.ErrorCode_OUTCOME_UNKNOWN) || errors.As(err, &transport)
}

func isNotDone(err error) bool {
	return Is(err, tallorder.ErrorCode_OVERLOADED, tallorder.ErrorCode_UNAVAILABLE,
		tallorder.ErrorCode_TIMED_OUT)
}
