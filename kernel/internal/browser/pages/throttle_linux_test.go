package pages

import (
	"maps"
	"testing"
	"time"
)

// TestThrottle checks that no thread of a throttled page, a worker's included, gets more of a core than it should, and
// that the page goes on when the throttling has ended.
func TestThrottle(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	p := Chromium.Open(t, site(t), Options{})
	Eval[bool](p, `(window.busy = new Worker(URL.createObjectURL(new Blob(["for (;;);"]))), true)`)
	t.Run("slow", func(t *testing.T) {
		p := p.In(t)
		p.Throttle(4)
		time.Sleep(time.Second) // Throttle looks for processes twice a second
		// The kernel counts what a thread has run, so that this does not depend on what else the machine does.
		threads := func() map[string]time.Duration {
			all := map[string]time.Duration{}
			for _, pid := range p.renderers() {
				maps.Copy(all, ran(pid))
			}
			return all
		}
		begin, before := time.Now(), threads()
		time.Sleep(4 * time.Second)
		most := time.Duration(0)
		for name, ran := range threads() {
			most = max(most, ran-before[name])
		}
		share := most.Seconds() / time.Since(begin).Seconds()
		t.Logf("the busiest thread has %.0f %% of a core", 100*share)
		if share > 0.32 || share < 0.01 {
			t.Errorf("that should be at most 25 %%, and something")
		}
	})
	if got := Eval[int](p, `(busy.terminate(), 1 + 1)`); got != 2 {
		t.Errorf("the page says %d", got)
	}
}
