// A gRPC peer for interop tests, on grpc-go with its defaults. `serve` answers calls on a port of its
// own choice; `dial ADDRESS` makes calls as told. Both take commands as lines on stdin and print lines
// on stdout. Messages are bytes as they are.
package main

import (
	"bufio"
	"fmt"
	"os"
)

// raw is a codec that leaves messages alone.
type raw struct{}

func (raw) Marshal(v any) ([]byte, error) { return *v.(*[]byte), nil }

func (raw) Unmarshal(data []byte, v any) error {
	*v.(*[]byte) = append([]byte(nil), data...)
	return nil
}

func (raw) Name() string { return "proto" }

// lines runs act for every line of stdin.
func lines(act func(line string)) {
	scanner := bufio.NewScanner(os.Stdin)
	for scanner.Scan() {
		act(scanner.Text())
	}
}

func main() {
	switch {
	case len(os.Args) == 2 && os.Args[1] == "serve":
		serve()
	case len(os.Args) == 3 && os.Args[1] == "dial":
		dial(os.Args[2])
	default:
		fmt.Fprintln(os.Stderr, "usage: peer serve | peer dial ADDRESS")
		os.Exit(2)
	}
}
