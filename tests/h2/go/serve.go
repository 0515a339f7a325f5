package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// cancelled counts calls whose client gave them up.
var cancelled atomic.Int64

// echo answers with the request; `status CODE TEXT` with that status; `wait MS` after a while;
// `size N` with N bytes; `metadata NAME` with its values; `deadline` with whether there is one.
func echo(ctx context.Context, request []byte) ([]byte, error) {
	words := strings.SplitN(string(request), " ", 3)
	switch words[0] {
	case "status":
		code, _ := strconv.Atoi(words[1])
		return nil, status.Error(codes.Code(code), words[2])
	case "wait":
		ms, _ := strconv.Atoi(words[1])
		select {
		case <-ctx.Done():
			cancelled.Add(1)
			return nil, ctx.Err()
		case <-time.After(time.Duration(ms) * time.Millisecond):
		}
	case "size":
		size, _ := strconv.Atoi(words[1])
		return make([]byte, size), nil
	case "metadata":
		md, _ := metadata.FromIncomingContext(ctx)
		return []byte(strings.Join(md.Get(words[1]), ",")), nil
	case "deadline":
		_, has := ctx.Deadline()
		return []byte(fmt.Sprint(has)), nil
	case "cancelled":
		return []byte(fmt.Sprint(cancelled.Load())), nil
	}
	return request, nil
}

func unary(_ any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
	var request []byte
	if err := decode(&request); err != nil {
		return nil, err
	}
	response, err := echo(ctx, request)
	return &response, err
}

func bidi(_ any, stream grpc.ServerStream) error {
	for {
		var request []byte
		if err := stream.RecvMsg(&request); err == io.EOF {
			return nil
		} else if err != nil {
			cancelled.Add(1)
			return err
		}
		if err := stream.SendMsg(&request); err != nil {
			return err
		}
	}
}

// serve prints `port N`; `stop` on stdin is a graceful stop, said by `stopped`; the end of stdin is an exit.
func serve() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	server := grpc.NewServer(grpc.ForceServerCodec(raw{}))
	server.RegisterService(&grpc.ServiceDesc{
		ServiceName: "interop.Echo",
		HandlerType: (*any)(nil),
		Methods:     []grpc.MethodDesc{{MethodName: "Unary", Handler: unary}},
		Streams: []grpc.StreamDesc{
			{StreamName: "Bidi", Handler: bidi, ServerStreams: true, ClientStreams: true},
		},
	}, nil)
	go server.Serve(listener)
	fmt.Println("port", listener.Addr().(*net.TCPAddr).Port)
	lines(func(line string) {
		if line == "stop" {
			go func() {
				server.GracefulStop()
				fmt.Println("stopped")
			}()
		}
	})
}
