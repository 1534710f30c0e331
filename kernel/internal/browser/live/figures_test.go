package live

import (
	"os"
	"testing"
	"time"

	"overcomplete/kernel/internal/browser/pages"
)

// network is a typical connection speed, in bits per second.
const network = 10e6

// most is the maximum memory of a page's process after a lecture, in bytes: memory shared with the browser's
// other processes, including some 100 MB of the browser itself, counts in part.
var most = map[string]int64{pages.Chromium.Name: 450e6, pages.Firefox.Name: 600e6}

// TestFirstPlot measures the time from opening a link to the first plot, over a slow network and with an
// empty cache. The server limits the rate, so the rate is the same for each browser.
func TestFirstPlot(t *testing.T) {
	alone(t, func(t *testing.T, b pages.Browser) {
		s := serveSite(t, network)
		for range 3 { // the machine may be busy with other work
			p := b.Open(t, "about:blank", pages.Options{Script: client, Shots: os.Getenv("OVERCOMPLETE_SCREENSHOTS")})
			begin := time.Now()
			p.Navigate(s.url("tour.html"))
			r := reader{p, b, s}
			r.ready()
			readable := time.Since(begin)
			r.start("plot")
			r.Until(`client.state("plot") === "done" && client.picture("plot").getBoundingClientRect().width > 200`)
			took := time.Since(begin)
			t.Logf("%s: at %.0f Mbit/s, to read after %.1f s, the first plot after %.1f s", b.Name, network/1e6, readable.Seconds(), took.Seconds())
			if took <= 40*time.Second {
				return
			}
		}
		t.Error("that is too long, also for a busy machine")
	})
}

// TestLecture runs a lecture, and checks the memory of the process that runs its page.
func TestLecture(t *testing.T) {
	inEachBrowser(t, func(t *testing.T, b pages.Browser) {
		r := open(t, b, serveSite(t, 0), lecture+".html", pages.Options{})
		r.press("run-all")
		begin := time.Now()
		r.Within(5*time.Minute, `client.states().every(s => s !== "runs" && s !== "waits") && client.states().includes("done")`)
		took := time.Since(begin)
		for _, id := range pages.Eval[[]string](r.Page, `client.all().filter(e => e.dataset.state === "failed").map(e => e.id.slice("cell-".length))`) {
			t.Errorf("cell %s has failed:\n%s\n%s", id, r.source(id), r.text(id))
		}
		r.Shot("lecture")
		resident, own := r.Memory()
		t.Logf("%s: %.1f s; the page's process takes %.0f MB, of which %.0f MB its own", b.Name, took.Seconds(), float64(resident)/1e6, float64(own)/1e6)
		// A browser frees some 40 MB when a page has been idle for a quarter of a minute.
		for rest := time.Now(); own > most[b.Name] && time.Since(rest) < 2*time.Minute; time.Sleep(2 * time.Second) {
			if _, own = r.Memory(); own <= most[b.Name] {
				t.Logf("%s: at rest for %.0f s: %.0f MB its own", b.Name, time.Since(rest).Seconds(), float64(own)/1e6)
			}
		}
		if own > most[b.Name] {
			t.Errorf("more than %d MB", most[b.Name]/1e6)
		}
	})
}
