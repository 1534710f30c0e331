package bench

import (
	"context"
	"fmt"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	waiting "overcomplete/internal/patience"
	"overcomplete/kernel/wire"
)

// session returns cell i of a typical session and its output. The session redeclares variables and functions,
// prints, declares a type, and has mistakes.
func session(i int) (src, text string) {
	switch i % 10 {
	case 0:
		return fmt.Sprintf("x := %d\nx + 1", i), fmt.Sprint(i + 1)
	case 1:
		return fmt.Sprintf("func f(n int) int { return n + %d }\nf(1)", i), fmt.Sprint(i + 1)
	case 2:
		return fmt.Sprintf("import \"fmt\"\nfmt.Println(\"cell\", %d)", i), fmt.Sprint("cell ", i)
	case 3:
		return "s := 0\nfor k := range 100 { s += f(k) - f(0) }\ns", "4950"
	case 4:
		return fmt.Sprintf("type T struct{ A, B int }\nfunc (t T) Sum() int { return t.A + t.B }\nT{%d, 1}.Sum()", i), fmt.Sprint(i + 1)
	case 5:
		return "import \"strings\"\nstrings.Repeat(\"ab\", 2)", "abab"
	case 6:
		return "y := make([]float64, 100000)\nlen(y)", "100000"
	case 7:
		return "var err error\nfunc() { defer func() { err = fmt.Errorf(\"%v\", recover()) }(); panic(1) }()\nerr.Error()", "1"
	case 8:
		return "c := make(chan int)\ngo func() { c <- 7 }()\n<-c", "7"
	}
	return "undeclared", "error" // a mistake
}

// cellOf runs cell i of the session and returns how long it took.
func cellOf(c *client, i int) time.Duration {
	c.tb.Helper()
	src, text := session(i)
	begin := time.Now()
	s := c.run(src)
	took := time.Since(begin)
	if text == "error" {
		if s.status != "error" {
			c.tb.Fatalf("cell %d: %q: %s", i, src, s.status)
		}
	} else if s.status != "ok" || strings.Trim(strings.TrimSpace(s.text), "\"`") != text {
		c.tb.Fatalf("cell %d: %q: %s, shows %.300q, not %q", i, src, s.status, s.text, text)
	}
	return took
}

func median(x []float64) float64 { return quantile(x, 0.5) }

// quantile returns the q-quantile of x.
func quantile(x []float64, q float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return x[int(q*float64(len(x)-1)+0.5)]
}

// TestManyCells: the third hundred cells are as fast as the first hundred, and memory does not grow.
func TestManyCells(t *testing.T) {
	p, c := start(t)
	block := func(from int) (ms float64) {
		var took []float64
		for i := from; i < from+100; i++ {
			took = append(took, cellOf(c, i).Seconds()*1e3)
		}
		return median(took)
	}
	first, memory := block(0), p.resident()
	cells := 100
	waiting.Try(t, func() string { // try again: real growth would continue
		block(cells)
		last, grown := block(cells+100), p.resident()-memory
		cells += 200
		t.Logf("median of a cell: %.2f ms, later %.2f ms; memory %.0f MB, later %+.0f MB", first, last, memory, grown)
		memory += grown
		if last > 4*first+5 {
			return fmt.Sprintf("a cell takes %.1f ms, at first it took %.1f ms", last, first)
		}
		if grown > 100 {
			return fmt.Sprintf("memory has grown by %.0f MB in 200 cells", grown)
		}
		return ""
	})
}

// endless lists cells that end only when they are interrupted. Each of them prints a string first.
var endless = []string{
	"print(1)\nfor {}",
	"import \"time\"\nprint(1)\ntime.Sleep(time.Hour)",
	"print(1)\n<-make(chan int)",
	"print(1)\nselect {}",
	"import \"sync\"\nprint(1)\nvar mu sync.Mutex\nmu.Lock()\nmu.Lock()",
	"print(1)\nfor i := 0; ; i++ { counted = i }",
	"import \"context\"\nprint(1)\nctx, cancel := context.WithTimeout(context.Background(), time.Hour)\n<-ctx.Done()\ncancel()",
}

// interrupted starts an endless cell, interrupts it by message or by signal, and returns the time from the
// interrupt to the reply.
func interrupted(p *process, c *client, i int) time.Duration {
	c.tb.Helper()
	src := endless[i%len(endless)]
	h, err := c.Send(wire.Shell, "execute_request", code(src))
	if err != nil {
		c.tb.Fatal(err)
	}
	if err := c.until(h.MsgID); err != nil {
		c.tb.Fatalf("interrupt %d: %q does not begin: %v", i, src, err)
	}
	begin := time.Now()
	if i/len(endless)%2 == 0 || runtime.GOOS == "windows" {
		ctx, cancel := context.WithTimeout(c.ctx, patience)
		defer cancel()
		if _, err := c.Request(ctx, wire.Control, "interrupt_request", nil); err != nil {
			c.tb.Fatal(err)
		}
	} else if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		c.tb.Fatal(err)
	}
	s, err := c.result(h.MsgID)
	took := time.Since(begin)
	if err != nil {
		c.tb.Fatalf("interrupt %d: %q does not end: %v", i, src, err)
	}
	if s.status != "error" || s.ename != "Interrupted" {
		c.tb.Fatalf("interrupt %d: %q: %s %s", i, src, s.status, s.ename)
	}
	return took
}

// TestInterrupts interrupts cells by message and by signal; the state survives all interrupts.
func TestInterrupts(t *testing.T) {
	p, c := start(t)
	c.want("kept := 42\ncounted := 0\nkept", "42")
	waiting.Try(t, func() string {
		var took []float64
		for i := range 2 * len(endless) {
			took = append(took, interrupted(p, c, i).Seconds()*1e3)
			c.want("kept", "42")
		}
		t.Logf("from interrupt to reply: median %.0f ms, most %.0f ms", median(took), slices.Max(took))
		if m := median(took); m > 500 {
			return fmt.Sprintf("an interrupt takes %.0f ms", m)
		}
		return ""
	})
}

// restarted requests a shutdown with restart, waits for the end of the process and starts a new process on
// the same ports, as jupyter_client does.
func restarted(p *process, c *client) (*process, *client, time.Duration) {
	c.tb.Helper()
	begin := time.Now()
	ctx, cancel := context.WithTimeout(c.ctx, patience)
	defer cancel()
	m, err := c.Request(ctx, wire.Control, "shutdown_request", map[string]bool{"restart": true})
	if err != nil {
		c.tb.Fatal(err)
	}
	if s := string(m.Content); !strings.Contains(s, `"restart":true`) {
		c.tb.Fatalf("shutdown_reply: %s", s)
	}
	for { // every front end is informed, so that it does not take the restart for a crash
		m, err := c.recv(wire.IOPub)
		if err != nil {
			c.tb.Fatalf("no shutdown_reply on iopub: %v", err)
		}
		if m.Header.MsgType == "shutdown_reply" {
			break
		}
	}
	if err := p.ended(patience); err != nil {
		c.tb.Fatalf("restart: %v", err)
	}
	c.Close()
	next := launchOn(p.tb, ours(p.tb), p.info)
	d := next.dial()
	if s := d.run("gone"); s.status != "error" || s.ename == "Interrupted" {
		c.tb.Fatalf("after the restart: %s %s", s.status, s.ename)
	}
	d.want("gone := 1\ngone", "1")
	return next, d, time.Since(begin)
}

// TestRestarts restarts the kernel on the same ports; nothing is left of the previous session.
func TestRestarts(t *testing.T) {
	p, c := start(t)
	c.want("gone := 1\ngone", "1")
	for range 3 {
		p, c, _ = restarted(p, c)
	}
	// Also restart during an endless cell, and shut down without a restart.
	h, err := c.Send(wire.Shell, "execute_request", code("print(1)\nfor {}"))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.until(h.MsgID); err != nil {
		t.Fatal(err)
	}
	p, c, _ = restarted(p, c)
	ctx, cancel := context.WithTimeout(c.ctx, patience)
	defer cancel()
	if _, err := c.Request(ctx, wire.Control, "shutdown_request", nil); err != nil {
		t.Fatal(err)
	}
	if err := p.ended(patience); err != nil {
		t.Error(err)
	}
}

// eight makes 8 clients send n cells each to one kernel, concurrently, and checks that each gets its own
// replies, in the order of its cells, and that every client sees all output.
func eight(t *testing.T, p *process, n int) {
	t.Helper()
	const clients = 8
	var cs []*client
	for range clients {
		cs = append(cs, p.dial())
	}
	cs[0].want("tick := 0\ntick", "0")
	for _, c := range cs[1:] { // skip the first client's cell
		for {
			m, err := c.recv(wire.IOPub)
			if err != nil {
				t.Fatal(err)
			}
			if m.Header.MsgType == "status" && strings.Contains(string(m.Content), "idle") {
				break
			}
		}
	}
	errs := make(chan error, 2*clients)
	seen := make([][]string, clients) // the output seen by each client
	var all sync.WaitGroup
	for k, c := range cs {
		var sent []string
		send := func() error {
			for i := range n {
				h, err := c.Send(wire.Shell, "execute_request", code(fmt.Sprintf("tick++\nprint(\"<%d.%d>\")", k, i)))
				if err != nil {
					return err
				}
				sent = append(sent, h.MsgID)
			}
			return nil
		}
		all.Go(func() { // read the replies
			if err := send(); err != nil {
				errs <- err
				return
			}
			for i := range n {
				m, err := c.recv(wire.Shell)
				switch {
				case err != nil:
					errs <- fmt.Errorf("client %d, reply %d: %w", k, i, err)
					return
				case m.Parent().MsgID != sent[i]:
					errs <- fmt.Errorf("client %d: reply %d is to another request (%s)", k, i, m.Header.MsgType)
					return
				case !strings.Contains(string(m.Content), `"ok"`):
					errs <- fmt.Errorf("client %d, cell %d: %s", k, i, m.Content)
					return
				}
			}
		})
		all.Go(func() { // read the output
			for got := 0; got < clients*n; {
				m, err := c.recv(wire.IOPub)
				if err != nil {
					errs <- fmt.Errorf("client %d has seen %d of %d outputs: %w", k, got, clients*n, err)
					return
				}
				if m.Header.MsgType == "stream" {
					seen[k] = append(seen[k], string(m.Content))
					got++
				}
			}
		})
	}
	all.Wait()
	close(errs)
	for err := range errs {
		t.Error(err)
	}
	for k := range seen {
		if !slices.Equal(seen[k], seen[0]) {
			t.Errorf("client %d has seen other output than client 0, or in another order", k)
		}
	}
	c := p.dial()
	c.want("tick", fmt.Sprint(clients*n))
}

// TestEightClients: each client gets its own replies in order, and every client sees all output.
func TestEightClients(t *testing.T) {
	p := launch(t, ours(t))
	eight(t, p, 25)
}

// TestPrivate: the connection file that we write is readable only by its owner, and the kernel listens on the
// address and the ports in the file and nowhere else.
func TestPrivate(t *testing.T) {
	p, c := start(t)
	c.want("1 + 1", "2")
	if runtime.GOOS != "windows" {
		info, err := os.Stat(p.file)
		if err != nil {
			t.Fatal(err)
		}
		if m := info.Mode().Perm(); m != 0o600 {
			t.Errorf("the connection file has mode %o", m)
		}
	}
	for _, port := range []int{p.info.ShellPort, p.info.ControlPort, p.info.StdinPort, p.info.IOPubPort, p.info.HBPort} {
		addrs, _ := net.InterfaceAddrs()
		for _, a := range addrs {
			ip, ok := a.(*net.IPNet)
			if !ok || ip.IP.String() == p.info.IP {
				continue
			}
			if nc, err := net.DialTimeout("tcp", net.JoinHostPort(ip.IP.String(), fmt.Sprint(port)), time.Second); err == nil {
				nc.Close()
				t.Errorf("port %d answers on %v", port, ip.IP)
			}
		}
	}
	listening(t, p)
}
