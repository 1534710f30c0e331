package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"overcomplete/kernel-helpers/figure"
)

func needsLong(t *testing.T) {
	t.Helper()
	if !*long {
		t.Skip("takes minutes: OVERCOMPLETE_LONG=1")
	}
}

// heap returns the memory that the session holds after a garbage collection, in MB.
func heap(c *client) float64 {
	c.tb.Helper()
	s := c.run("import \"runtime\"\nimport \"runtime/debug\"\ndebug.FreeOSMemory()\nvar stats runtime.MemStats\nruntime.ReadMemStats(&stats)\nint(stats.HeapAlloc)")
	b, err := strconv.ParseFloat(strings.TrimSpace(s.text), 64)
	if err != nil {
		c.tb.Fatalf("heap: %s %s", s.status, s.text)
	}
	return b / (1 << 20)
}

// TestLongCells runs 10,000 cells in one session.
func TestLongCells(t *testing.T) {
	needsLong(t)
	p, c := start(t)
	var ms, at, memory, used, heapAt, held []float64
	heapAt, held = append(heapAt, 0), append(held, heap(c))
	before := p.processor()
	for i := range 10000 {
		ms = append(ms, cellOf(c, i).Seconds()*1e3)
		if (i+1)%100 == 0 {
			at, memory = append(at, float64(i+1)), append(memory, p.resident())
			now := p.processor()
			used, before = append(used, (now-before)*10), now // ms per cell, averaged over 100 cells
		}
		if (i+1)%1000 == 0 {
			heapAt, held = append(heapAt, float64(i+1)), append(held, heap(c))
			before = p.processor() // excludes the time of the collection
		}
	}
	x, mid := blocks(ms, 100, 0.5)
	_, high := blocks(ms, 100, 0.95)
	save(t, figure.New("10,000 cells in one session: time", "cells run", "ms").
		Lines("95 of 100 cells below", x, high).Lines("median of 100 cells", x, mid).Lines("processor time of the kernel, mean", x, used),
		"cells-time", "From sending a cell to its idle and reply, for each 100 cells of a session of ten kinds of cells: declarations made again, functions, types, output, goroutines, and a mistake in each ten, whose reply waits 25 ms for cells that are to be aborted with it.")
	save(t, figure.New("10,000 cells in one session: memory", "cells run", "MB").
		Lines("resident", at, memory).Marked("heap after a collection", heapAt, held),
		"cells-memory", "Memory of the kernel's process after each 100 cells, and what its heap holds each 1,000 cells after a collection, which gives memory back to the system. A collection waits until 64 MB have been allocated.")
	t.Logf("median of the first 1,000 cells %.2f ms, of the last %.2f ms; processor time %.2f, %.2f ms a cell",
		median(ms[:1000]), median(ms[9000:]), median(used[:10]), median(used[90:]))
	t.Logf("resident %.0f MB after 1,000 cells, %.0f MB after 10,000; heap %.1f, %.1f MB", memory[9], memory[99], held[1], held[10])
	if a, b := median(used[10:20]), median(used[90:]); b > 2*a {
		t.Errorf("a cell takes %.2f ms of the processor after 9,000 cells, %.2f ms after 1,000", b, a)
	}
	if grown := held[10] - held[1]; grown > 90 { // 10 KB per cell
		t.Errorf("the heap has grown by %.1f MB in 9,000 cells", grown)
	}
}

// TestLongInterrupts sends 1,000 interrupts: seven by message, seven by signal, and so on.
func TestLongInterrupts(t *testing.T) {
	needsLong(t)
	p, c := start(t)
	c.want("kept := 42\ncounted := 0\nkept", "42")
	var ms, at, memory []float64
	for i := range 1000 {
		ms = append(ms, interrupted(p, c, i).Seconds()*1e3)
		if (i+1)%20 == 0 {
			c.want("kept", "42")
			at, memory = append(at, float64(i+1)), append(memory, p.resident())
		}
	}
	x, mid := blocks(ms, 20, 0.5)
	_, most := blocks(ms, 20, 1)
	save(t, figure.New("1,000 interrupts: time", "interrupts", "ms").Lines("longest of 20", x, most).Lines("median of 20", x, mid),
		"interrupts-time", "From the interrupt (a message or a signal) to the reply of the endless cell: loops, sleeps, waits for channels, mutexes and contexts. 25 ms of it are a wait for cells that are to be aborted with it. All variables were there afterwards.")
	save(t, figure.New("1,000 interrupts: memory", "interrupts", "MB").Lines("resident", at, memory),
		"interrupts-memory", "Memory of the kernel's process.")
	t.Logf("median %.1f ms, 99 of 100 below %.1f ms, most %.1f ms; resident %.0f MB after 100, %.0f MB after 1,000",
		median(ms), quantile(ms, 0.99), slices.Max(ms), memory[4], memory[49])
	if grown := memory[49] - memory[4]; grown > 60 {
		t.Errorf("memory has grown by %.0f MB in 900 interrupts", grown)
	}
}

// TestLongRestarts restarts the kernel 100 times on the same ports.
func TestLongRestarts(t *testing.T) {
	needsLong(t)
	p, c := start(t)
	c.want("gone := 1\ngone", "1")
	var ms []float64
	for range 100 {
		next, d, took := restarted(p, c)
		p.kill() // also removes the process's folder
		p, c = next, d
		ms = append(ms, took.Seconds()*1e3)
	}
	at, each := blocks(ms, 1, 0.5)
	save(t, figure.New("100 restarts", "restarts", "ms").Marked("restart", at, each),
		"restarts", "From the shutdown_request with restart, over the end of the process and a new one on the same ports, to the result of its second cell.")
	t.Logf("median %.0f ms, most %.0f ms", median(ms), slices.Max(ms))
}

// TestLongClients has 8 clients that run 2,000 cells.
func TestLongClients(t *testing.T) {
	needsLong(t)
	p := launch(t, ours(t))
	eight(t, p, 250)
	eight(t, p, 250) // the first eight clients are still connected but do not read
	t.Logf("resident %.0f MB", p.resident())
}

// TestLongAbuse sends several thousand abusive messages while cells run.
func TestLongAbuse(t *testing.T) {
	needsLong(t)
	p := launch(t, ours(t))
	var ms, at, memory []float64
	n := 0
	for round := range 40 {
		ms = append(ms, abused(t, p, 5*len(abuse), uint64(round))...)
		n += 5 * len(abuse)
		at, memory = append(at, float64(n)), append(memory, p.resident())
	}
	x, mid := blocks(ms, 20, 0.5)
	_, high := blocks(ms, 20, 0.95)
	save(t, figure.New("Cells while the kernel is abused: time", "cells run", "ms").Lines("95 of 100 cells below", x, high).Lines("median", x, mid),
		"abuse-time", fmt.Sprintf("Cells of one client, for each 20 of them, while another sends %d messages that are malformed, unsigned, replayed, huge or half. None of them was answered or run, and of each replayed one only the first copy.", n))
	save(t, figure.New("Cells while the kernel is abused: memory", "bad messages", "MB").Lines("resident", at, memory),
		"abuse-memory", "Memory of the kernel's process; it reads messages of 8 MB without a signature before it can drop them.")
	t.Logf("%d bad messages, %d cells meanwhile: median %.1f ms; resident at most %.0f MB, %.0f MB at the end", n, len(ms), median(ms), slices.Max(memory), memory[len(memory)-1])
	eight(t, p, 25)
	listening(t, p)
}

// circumstances describes the date and the machine of a measurement.
func circumstances() string {
	load := "unknown"
	if b, err := os.ReadFile("/proc/loadavg"); err == nil {
		load = strings.Join(strings.Fields(string(b))[:3], ", ")
	}
	return fmt.Sprintf("Measured on %s on %d shared processors (%s/%s, %s); load averages of 1, 5 and 15 minutes at the end: %s.",
		time.Now().UTC().Format("2006-01-02"), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), load)
}

// save writes a figure of a long test, its caption and the circumstances.
func save(t *testing.T, f *figure.Figure, name, caption string) {
	t.Helper()
	if err := os.MkdirAll("figures", 0o755); err != nil {
		t.Fatal(err)
	}
	f.Caption = caption + " " + circumstances()
	f.Maker = "kernel/internal/bench." + t.Name()
	f.Width, f.Height = 7, 3.5
	f.Y.Min = 0 // start the axis at 0, so that constant data looks flat
	path := filepath.Join("figures", name)
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{".png", ".csv"} { // RESULTS.md shows the SVG, which contains the data
		if err := os.Remove(path + other); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%s: %s", name, f.Caption)
}

// blocks divides x into blocks of n elements. It returns the q-quantile of each block, and the index of the
// block's end.
func blocks(x []float64, n int, q float64) (at, value []float64) {
	for i := n; i <= len(x); i += n {
		at, value = append(at, float64(i)), append(value, quantile(x[i-n:i], q))
	}
	return at, value
}
