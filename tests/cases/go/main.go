// A control plane on grpc-go with its default enforcement of keepalive, for tests of our PINGs.
// ateapi.Control/ResumeActor answers OK after the milliseconds in the actor's name (`wait-1500-x`),
// at once without. Prints `port N`; the end of stdin is its exit. `-min-time` replaces the default of
// five minutes between two PINGs, to let a test last seconds.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/protobuf/encoding/protowire"
)

// raw is a codec that leaves messages alone.
type raw struct{}

func (raw) Marshal(v any) ([]byte, error) { return *v.(*[]byte), nil }

func (raw) Unmarshal(data []byte, v any) error {
	*v.(*[]byte) = append([]byte(nil), data...)
	return nil
}

func (raw) Name() string { return "proto" }

// field is the first length-delimited field of that number, or nothing.
func field(message []byte, number protowire.Number) []byte {
	for len(message) > 0 {
		num, typ, n := protowire.ConsumeTag(message)
		if n < 0 {
			return nil
		}
		message = message[n:]
		if typ == protowire.BytesType && num == number {
			value, _ := protowire.ConsumeBytes(message)
			return value
		}
		if n = protowire.ConsumeFieldValue(num, typ, message); n < 0 {
			return nil
		}
		message = message[n:]
	}
	return nil
}

// running is the answer for an actor that runs on 10.0.0.1.
func running() []byte {
	var actor, response []byte
	actor = protowire.AppendTag(actor, 4, protowire.VarintType)
	actor = protowire.AppendVarint(actor, 2)
	actor = protowire.AppendTag(actor, 7, protowire.BytesType)
	actor = protowire.AppendString(actor, "10.0.0.1")
	response = protowire.AppendTag(response, 1, protowire.BytesType)
	return protowire.AppendBytes(response, actor)
}

func resume(_ any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
	var request []byte
	if err := decode(&request); err != nil {
		return nil, err
	}
	words := strings.Split(string(field(field(request, 1), 2)), "-")
	if len(words) > 1 && words[0] == "wait" {
		ms, _ := strconv.Atoi(words[1])
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Duration(ms) * time.Millisecond):
		}
	}
	response := running()
	return &response, nil
}

func main() {
	minTime := flag.Duration("min-time", 0, "least time between two PINGs; 0 = the default")
	flag.Parse()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	options := []grpc.ServerOption{grpc.ForceServerCodec(raw{})}
	if *minTime > 0 {
		options = append(options, grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: *minTime}))
	}
	server := grpc.NewServer(options...)
	server.RegisterService(&grpc.ServiceDesc{
		ServiceName: "ateapi.Control",
		HandlerType: (*any)(nil),
		Methods:     []grpc.MethodDesc{{MethodName: "ResumeActor", Handler: resume}},
	}, nil)
	go server.Serve(listener)
	fmt.Println("port", listener.Addr().(*net.TCPAddr).Port)
	for scanner := bufio.NewScanner(os.Stdin); scanner.Scan(); {
	}
}
