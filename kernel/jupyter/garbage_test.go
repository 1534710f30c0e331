package jupyter

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"overcomplete/internal/patience"
	"overcomplete/kernel"
)

func TestPercentFor(t *testing.T) {
	for _, c := range []struct {
		live uint64
		want int
	}{{0, 1600}, {1 << 20, 1600}, {16 << 20, 400}, {64 << 20, 100}, {1 << 40, 100}} {
		want(t, "percent", percentFor(c.live), c.want)
	}
}

func percentNow() int {
	sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(sample)
	return int(sample[0].Value.Uint64())
}

// TestCollectLess: the percentage follows the size of the heap and is restored at the end. A percentage set by
// a cell stays. The test runs in its own process, because the heap of other tests would affect it.
func TestCollectLess(t *testing.T) {
	const alone = "OVERCOMPLETE_TEST_ALONE"
	if os.Getenv(alone) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestCollectLess$")
		cmd.Env = append(os.Environ(), alone+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	t.Setenv("GOGC", "")
	before := percentNow()
	end := collectLess()
	settles := func(what string, ok func(int) bool) {
		t.Helper()
		if !patience.Wait(func() bool {
			runtime.GC() // the finalizer runs some time later
			time.Sleep(time.Millisecond)
			return ok(percentNow())
		}) {
			t.Errorf("%s: the percentage is %d", what, percentNow())
		}
	}
	some := make([]byte, heapRoom/4)
	settles("little is held", func(p int) bool { return p > 100 && p <= 400 })
	runtime.KeepAlive(some)
	much := make([]byte, 2*heapRoom)
	settles("much is held", func(p int) bool { return p == 100 })
	runtime.KeepAlive(much)
	settles("little again", func(p int) bool { return p > 100 })
	end()
	want(t, "afterwards", percentNow(), before)

	end = collectLess()
	debug.SetGCPercent(77)
	settles("a cell's", func(p int) bool { return p == 77 })
	end()
	want(t, "afterwards", percentNow(), 77)
	debug.SetGCPercent(before)

	t.Setenv("GOGC", "50")
	collectLess()()
	want(t, "with GOGC", percentNow(), before)
}

// TestFreesWhenIdle: some time after a cell, its garbage is returned to the system. The test runs in its own
// process, because it changes the time.
func TestFreesWhenIdle(t *testing.T) {
	const alone = "OVERCOMPLETE_TEST_ALONE"
	if os.Getenv(alone) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestFreesWhenIdle$")
		cmd.Env = append(os.Environ(), alone+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	freeAfter = 200 * time.Millisecond
	held := func() uint64 {
		sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
		metrics.Read(sample)
		return (sample[0].Value.Uint64() - sample[1].Value.Uint64()) >> 20
	}
	f := standard()
	var during uint64
	f["waste"] = func(context.Context, kernel.Output) error {
		for range 300 {
			sink = make([]byte, 1<<20)
			for i := range sink {
				sink[i] = 1
			}
		}
		sink = nil
		during = held()
		return nil
	}
	s := start(t, f, Options{})
	s.execute(code("waste"))
	if during < 50 {
		t.Fatalf("the cell has left %d MB only", during)
	}
	if !patience.Wait(func() bool { return held() < during-40 }) {
		t.Errorf("%d MB after the cell, %d MB some time later", during, held())
	}
}

var sink []byte
