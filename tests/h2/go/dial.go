package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// shown is one line about how a call ended.
func shown(id string, response []byte, err error) string {
	if err != nil {
		s := status.Convert(err)
		return fmt.Sprintf("%s status %d %q", id, s.Code(), s.Message())
	}
	if len(response) > 60 {
		return fmt.Sprintf("%s ok %d bytes", id, len(response))
	}
	return fmt.Sprintf("%s ok %q", id, response)
}

// talk sends `count` messages of `size` bytes, one at a time, then half-closes and waits for the end.
func talk(ctx context.Context, conn *grpc.ClientConn, path string, count, size int) ([]byte, error) {
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, path)
	if err != nil {
		return nil, err
	}
	heard := 0
	for n := 0; n < count; n++ {
		request := make([]byte, size)
		if err := stream.SendMsg(&request); err != nil && err != io.EOF {
			return nil, err
		}
		var response []byte
		if err := stream.RecvMsg(&response); err != nil {
			return nil, err
		}
		heard += len(response)
	}
	if err := stream.CloseSend(); err != nil {
		return nil, err
	}
	var more []byte
	if err := stream.RecvMsg(&more); err != io.EOF {
		return nil, err
	}
	return []byte(fmt.Sprintf("%d bytes back", heard)), nil
}

// dial takes `ID unary PATH TIMEOUT_MS TEXT`, `ID size PATH TIMEOUT_MS BYTES`, `ID bidi PATH COUNT SIZE`
// and `ID cancel PATH AFTER_MS TEXT`; each runs by itself and prints how it ended.
func dial(address string) {
	conn, err := grpc.NewClient(address,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.ForceCodec(raw{}), grpc.MaxCallRecvMsgSize(64<<20)))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("ready")
	lines(func(line string) {
		words := strings.SplitN(line, " ", 5)
		id, op, path := words[0], words[1], words[2]
		number, _ := strconv.Atoi(words[3])
		go func() {
			ctx := metadata.AppendToOutgoingContext(context.Background(), "x-peer", "grpc-go")
			if op == "bidi" {
				size, _ := strconv.Atoi(words[4])
				response, err := talk(ctx, conn, path, number, size)
				fmt.Println(shown(id, response, err))
				return
			}
			if op == "cancel" {
				var cancel context.CancelFunc
				ctx, cancel = context.WithCancel(ctx)
				time.AfterFunc(time.Duration(number)*time.Millisecond, cancel)
			} else if number > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, time.Duration(number)*time.Millisecond)
				defer cancel()
			}
			request := []byte(words[4])
			if op == "size" {
				size, _ := strconv.Atoi(words[4])
				request = make([]byte, size)
			}
			var response []byte
			err := conn.Invoke(ctx, path, &request, &response)
			fmt.Println(shown(id, response, err))
		}()
	})
}
