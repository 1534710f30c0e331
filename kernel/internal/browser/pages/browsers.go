package pages

import (
	"context"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"overcomplete/kernel/internal/browser/serve"
)

// A Browser is a web browser that tests can drive.
type Browser struct {
	Name  string
	names []string // names of the browser's program
	start func(*testing.T, string, Options) driver
}

var (
	// Chromium is a headless Chromium or Chrome.
	Chromium = Browser{"chromium", []string{"chromium", "chromium-browser", "google-chrome"}, startChromium}
	// Firefox is a headless Firefox.
	Firefox = Browser{"firefox", []string{"firefox-esr", "firefox"}, startFirefox}
	// Browsers lists all browsers that can be driven.
	Browsers = []Browser{Chromium, Firefox}
)

// Options are the options for starting a browser.
type Options struct {
	Script        string   // runs before the scripts of each page
	Width, Height int      // viewport size; 1300 by 1000 if zero
	Dark          bool     // pages are told that the user prefers dark mode
	Still         bool     // pages are told that the user prefers reduced motion
	NoWebAssembly bool     // WebAssembly is turned off
	Harmless      []string // script errors that do not fail the test

	// Failed, if not nil, is called with each error of a page's script. Such an error then does not fail the test.
	Failed func(text string)
	Shots  string // folder for screenshots; "" for none
}

// A driver drives a tab of a browser. Each action is abandoned when its context is done.
type driver interface {
	// navigate loads a page and waits until it has loaded.
	navigate(ctx context.Context, url string) error
	// evaluate returns the value of an expression. If the value is a promise, evaluate waits for it.
	evaluate(ctx context.Context, expression string) (string, error)
	// press presses characters and keys (see hands.go), one after the other, while modifiers are held down.
	press(ctx context.Context, keys string, modifiers []Modifier) error
	// mouse moves the mouse, and presses or releases its left button.
	mouse(ctx context.Context, do action, at Point) error
	// picture returns a screenshot of the page as PNG.
	picture(ctx context.Context) ([]byte, error)
	// resize changes the viewport size.
	resize(ctx context.Context, width, height int) error
	// front brings this tab to the front.
	front(ctx context.Context) error
	// tab opens another tab, for a test.
	tab(t *testing.T) (driver, error)
	// choose answers each file dialog with the given files. It must be called before a dialog opens.
	choose(ctx context.Context, files []string) error
	// downloads returns the folder for the page's downloads.
	downloads() string
	// process returns the id of the browser's process. renderer reports whether a command line belongs to a
	// process that renders pages.
	process() int
	renderer(command []string) bool
	// leaving reports whether an error only means that the tab is loading another page.
	leaving(error) bool
}

// An action is a mouse action.
type action int

const (
	moves action = iota
	presses
	releases
)

// Here returns the browser's program, or skips the test if the browser is not installed.
func (b Browser) Here(t *testing.T) string {
	t.Helper()
	for _, name := range b.names {
		if program, err := exec.LookPath(name); err == nil {
			return program
		}
	}
	serve.Needed(t, "there is no %s: with apt-get install %s pages are tried in it, too", strings.Join(b.names, " or "), b.names[0])
	return ""
}

// Open starts the browser for a test and loads the page at url.
func (b Browser) Open(t *testing.T, url string, o Options) Page {
	t.Helper()
	if o.Width == 0 {
		o.Width, o.Height = 1300, 1000
	}
	p := Page{T: t, driver: b.start(t, b.Here(t), o), shots: o.Shots, count: new(int)}
	p.Navigate(url)
	return p
}

// value returns a JavaScript expression for a promise, which yields the value of the given expression, as JSON. If that
// value is itself a promise, it is awaited first.
func value(expression string) string {
	return `(async () => JSON.stringify((await (` + expression + `)) ?? null))()`
}

// quote returns s as a JavaScript string literal.
func quote(s string) string {
	b, _ := json.Marshal(s) // marshaling a string cannot fail
	return string(b)
}

// failed handles an error of a page's script. It calls Failed if that is set; otherwise it fails the test, unless
// Harmless lists the error.
func (o Options) failed(t *testing.T, text string) {
	switch {
	case o.Failed != nil:
		o.Failed(text)
	case !slices.ContainsFunc(o.Harmless, func(known string) bool { return strings.Contains(text, known) }):
		t.Errorf("the page's script failed: %s", text)
	}
}
