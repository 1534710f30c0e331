package jupyter

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"overcomplete/internal/patience"
	"overcomplete/kernel"
	"overcomplete/kernel/wire"
)

// TestPace: short text, text after a pause, progress bars and text after another output are shown after 20 ms.
// Long text without a pause is shown less and less often, but at least five times a second.
func TestPace(t *testing.T) {
	start := time.Now()
	printed := func(bytes int, line string) (p pace) {
		for n := 0; n < bytes; n += len(line) {
			p.wrote(line)
		}
		p.flushed(start)
		return p
	}
	const KB = 1 << 10
	for _, c := range []struct {
		what   string
		p      pace
		after  time.Duration
		delay  time.Duration
		enough int
	}{
		{"nothing", pace{}, 0, 20 * time.Millisecond, 64 * KB},
		{"one line", printed(10, "line 1234\n"), 0, 20 * time.Millisecond, 64 * KB},
		{"1,600 lines", printed(16*KB-10, "line 1234\n"), 0, 20 * time.Millisecond, 64 * KB},
		{"64 KB", printed(64*KB, strings.Repeat("1234567\n", 16)), 0, 80 * time.Millisecond, 256 * KB},
		{"64 KB and a pause", printed(64*KB, strings.Repeat("1234567\n", 16)), 81 * time.Millisecond, 20 * time.Millisecond, 256 * KB},
		{"128 KB", printed(128*KB, strings.Repeat("1234567\n", 16)), 0, 160 * time.Millisecond, 512 * KB},
		{"2 MB", printed(2048*KB, strings.Repeat("1234567\n", 16)), 100 * time.Millisecond, 200 * time.Millisecond, 512 * KB},
		{"2 MB and a pause", printed(2048*KB, strings.Repeat("1234567\n", 16)), 201 * time.Millisecond, 20 * time.Millisecond, 512 * KB},
		{"2 MB of lines of Windows", printed(2048*KB, strings.Repeat("123456\r\n", 16)), 0, 200 * time.Millisecond, 512 * KB},
		{"2 MB of a progress bar", printed(2048*KB, "\r[=====>    ]"), 0, 20 * time.Millisecond, 64 * KB},
	} {
		if d := c.p.delay(start.Add(c.after)).Round(time.Millisecond); d != c.delay {
			t.Errorf("%s: text waits %v, want %v", c.what, d, c.delay)
		}
		if n := c.p.enough(); n != c.enough {
			t.Errorf("%s: sent from %d bytes, want %d", c.what, n, c.enough)
		}
	}
	long := printed(2048*KB, strings.Repeat("1234567\n", 16))
	long.restart()
	if d := long.delay(start); d != minDelay {
		t.Errorf("after another output text waits %v", d)
	}
}

// TestPromptText: even after a long text, a line followed by a pause, a picture or a question is shown as
// promptly as the first line of a cell.
func TestPromptText(t *testing.T) {
	const early = 100 * time.Millisecond // between minDelay and maxDelay
	long := strings.Repeat(strings.Repeat("x", 79)+"\n", 4_000)
	f := fake{"pause": func(_ context.Context, out kernel.Output) error {
		out.Stream("stdout", long)
		time.Sleep(maxDelay + 20*time.Millisecond)
		out.Stream("stdout", "after a pause "+fmt.Sprint(time.Now().UnixNano()))
		time.Sleep(2 * maxDelay)
		return nil
	}, "end": func(_ context.Context, out kernel.Output) error {
		out.Stream("stdout", long)
		out.Stream("stdout", "at the end "+fmt.Sprint(time.Now().UnixNano()))
		return nil
	}, "clear": func(_ context.Context, out kernel.Output) error {
		out.Stream("stdout", long)
		out.Clear(false)
		out.Stream("stdout", "after clear "+fmt.Sprint(time.Now().UnixNano()))
		time.Sleep(2 * maxDelay)
		return nil
	}}
	s := start(t, f, Options{})
	// late returns the delay between printing and sending the last line of a cell.
	late := func(cell string) (late time.Duration) {
		id := s.send(wire.Shell, "execute_request", code(cell))
		for {
			m, c := s.recv(wire.IOPub)
			if m.Parent().MsgID != id {
				continue
			}
			if text, _ := c["text"].(string); text != "" {
				sent, err := time.Parse(time.RFC3339Nano, m.Header.Date)
				if err != nil {
					t.Fatal(err)
				}
				var at int64
				if fmt.Sscan(text[strings.LastIndex(text, " ")+1:], &at); at > 0 {
					late = sent.Sub(time.Unix(0, at))
				}
			}
			if c["execution_state"] == "idle" {
				s.reply(wire.Shell, id, "execute_reply")
				return late
			}
		}
	}
	for cell := range f {
		patience.Try(t, func() string { // on a busy machine the timer may fire late
			if took := late(cell); took > early {
				return fmt.Sprintf("%s: the last line was sent after %v", cell, took)
			}
			return ""
		})
	}
}
