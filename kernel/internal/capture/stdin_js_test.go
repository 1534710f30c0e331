package capture

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"
	"time"
)

// TestScanInBrowser: the tests' file system passes reads of descriptor 0 to overcompleteRead, as a page's
// file system does.
func TestScanInBrowser(t *testing.T) {
	in, err := OpenStdin()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	lines := []string{"3 four", "", "größer", endOfInput}
	asked := 0
	stop := in.Serve(t.Context(), func(context.Context) (string, error) {
		time.Sleep(time.Millisecond) // other goroutines run in the meantime
		asked++
		return lines[asked-1], nil
	})
	defer stop()
	var n int
	var word string
	if _, err := fmt.Scan(&n, &word); err != nil || n != 3 || word != "four" {
		t.Errorf("%d, %q, %v", n, word, err)
	}
	r := bufio.NewReader(os.Stdin)
	for _, want := range []string{"\n", "größer\n"} {
		if text, err := r.ReadString('\n'); err != nil || text != want {
			t.Errorf("%q, %v, want %q", text, err, want)
		}
	}
	for range 2 { // the end of the input is final
		if text, err := r.ReadString('\n'); err != io.EOF || text != "" {
			t.Errorf("%q, %v at the end", text, err)
		}
	}
	if asked != len(lines) {
		t.Errorf("asked %d times, want %d", asked, len(lines))
	}
}

// TestInterruptedScan: a reader that waits for a line continues when the cell is interrupted.
func TestInterruptedScan(t *testing.T) {
	in, err := OpenStdin()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	ctx, cancel := context.WithCancel(t.Context())
	waiting := make(chan bool)
	stop := in.Serve(ctx, func(ctx context.Context) (string, error) {
		close(waiting)
		<-ctx.Done()
		return "", ctx.Err()
	})
	defer stop()
	go func() { <-waiting; cancel() }()
	var n int
	if _, err := fmt.Scan(&n); !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v", err)
	}
}
