//go:build !js

package capture

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"overcomplete/internal/patience"
)

// serve opens a Stdin that answers with the lines, then with an error.
func serve(t *testing.T, ctx context.Context, lines ...string) (s *Stdin, asked *atomic.Int32, stop func()) {
	t.Helper()
	if runtime.GOOS == "wasip1" {
		t.Skip("no pipes")
	}
	s, err := OpenStdin()
	if err != nil {
		t.Fatal(err)
	}
	asked = new(atomic.Int32)
	stop = s.Serve(ctx, func(context.Context) (string, error) {
		n := int(asked.Add(1))
		if n > len(lines) {
			return "", errors.New("nobody is there")
		}
		return lines[n-1], nil
	})
	t.Cleanup(func() {
		stop()
		s.Close()
	})
	return s, asked, stop
}

// TestReadLock fails if a new version of Go keeps a File's lock elsewhere.
func TestReadLock(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	s := &Stdin{r: r, lock: readLock(r)}
	if s.lock == nil {
		t.Fatal("the read lock of os.File was not found")
	}
	for range 3 {
		if s.reading() {
			t.Fatal("nobody reads")
		}
		got := make(chan byte)
		go func() {
			b := make([]byte, 1)
			r.Read(b)
			got <- b[0]
		}()
		patience.Until(t, "seen: a reader that waits", s.reading)
		w.Write([]byte("xy"))
		<-got
		if s.reading() {
			t.Error("the reader has gone")
		}
		if drain(r); !empty(r) {
			t.Error("the pipe was not drained")
		}
	}
}

func TestScan(t *testing.T) {
	_, asked, _ := serve(t, context.Background(), "6 7", "eight", "a line", "ü", endOfInput)
	var a, b int
	var word string
	if n, err := fmt.Scan(&a, &b, &word); n != 3 || err != nil || a != 6 || b != 7 || word != "eight" {
		t.Errorf("Scan: %d %v, %d %d %q", n, err, a, b, word)
	}
	if asked.Load() != 2 {
		t.Errorf("%d lines were asked for", asked.Load())
	}
	in := bufio.NewScanner(os.Stdin)
	var lines []string
	for in.Scan() {
		lines = append(lines, in.Text())
	}
	if got := strings.Join(lines, "|"); got != "a line|ü" || in.Err() != nil {
		t.Errorf("lines %q, %v", got, in.Err())
	}
	if n, err := os.Stdin.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("after the end: %d, %v", n, err)
	}
}

// TestNobodyReads: no line is requested if no goroutine reads.
func TestNobodyReads(t *testing.T) {
	_, asked, _ := serve(t, context.Background(), "x")
	time.Sleep(20 * look)
	if asked.Load() != 0 {
		t.Error("asked")
	}
}

func TestNobodyAnswers(t *testing.T) {
	s, _, stop := serve(t, context.Background())
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != io.EOF {
		t.Errorf("error %v, want EOF", err)
	}
	// The next cell gets new input.
	stop()
	stop = s.Serve(context.Background(), func(context.Context) (string, error) { return "again", nil })
	defer stop()
	var word string
	if _, err := fmt.Scanln(&word); word != "again" || err != nil {
		t.Errorf("%q, %v", word, err)
	}
}

// TestLeftOver: input that a cell has not read is not passed to the next cell.
func TestLeftOver(t *testing.T) {
	s, _, stop := serve(t, context.Background(), "one two")
	var word string
	fmt.Scan(&word)
	stop()
	stop = s.Serve(context.Background(), func(context.Context) (string, error) { return "three", nil })
	defer stop()
	fmt.Scan(&word)
	if word != "three" {
		t.Errorf("%q", word)
	}
}

func TestInterruptedRead(t *testing.T) {
	s, err := OpenStdin()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithCancel(context.Background())
	asked := make(chan bool)
	stop := s.Serve(ctx, func(ctx context.Context) (string, error) {
		close(asked)
		<-ctx.Done()
		return "", ctx.Err()
	})
	read := make(chan error)
	go func() {
		_, err := fmt.Scanln(new(string))
		read <- err
	}()
	<-asked
	cancel()
	select {
	case err := <-read:
		if err == nil {
			t.Error("a read that was interrupted has no error")
		}
	case <-time.After(patience.Long):
		t.Fatal("the reader still waits")
	}
	stop()
	stop = s.Serve(context.Background(), func(context.Context) (string, error) { return "after", nil })
	defer stop()
	var word string
	if _, err := fmt.Scanln(&word); word != "after" || err != nil {
		t.Errorf("%q, %v", word, err)
	}
}

// TestLongLine: readers get all of a line that is longer than the pipe's capacity, and stop returns although
// no goroutine reads the rest of a line.
func TestLongLine(t *testing.T) {
	long := strings.Repeat("x", 300_000)
	serve(t, context.Background(), long, long)
	if line, err := bufio.NewReader(os.Stdin).ReadString('\n'); len(line) != len(long)+1 || err != nil {
		t.Errorf("%d bytes, %v", len(line), err)
	}
	os.Stdin.Read(make([]byte, 1)) // reads one byte of the second line; stop must not wait until the rest is read
}

// TestChild: a child process with the inherited os.Stdin ends when the cell is interrupted.
func TestChild(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no cat")
	}
	ctx, cancel := context.WithCancel(context.Background())
	serve(t, ctx)
	cmd := exec.Command("cat")
	cmd.Stdin = os.Stdin
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	cancel()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-ended:
	case <-time.After(patience.Long):
		cmd.Process.Kill()
		t.Error("the child still waits")
	}
}
