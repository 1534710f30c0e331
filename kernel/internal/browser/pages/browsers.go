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

// A Browser is a program that shows pages.
type Browser struct {
	Name  string
	names []string // of its program
	start func(*testing.T, string, Options) driver
}

var (
	// Chromium is Chromium or Chrome, without a window.
	Chromium = Browser{"chromium", []string{"chromium", "chromium-browser", "google-chrome"}, startChromium}
	// Firefox is Firefox, without a window.
	Firefox = Browser{"firefox", []string{"firefox-esr", "firefox"}, startFirefox}
	// Browsers are all that can be driven.
	Browsers = []Browser{Chromium, Firefox}
)

// Options say how a browser starts.
type Options struct {
	Script        string   // runs before the scripts of each page
	Width, Height int      // of the window's inside; 1300 by 1000 if 0
	Dark          bool     // pages are told that the user likes them dark
	NoWebAssembly bool     // as in a browser that has it switched off
	Harmless      []string // what the pages' scripts may fail with; otherwise the test fails

	// Failed, if not nil, is called with what a page's script fails with, and the test does not fail.
	Failed func(text string)
	Shots  string // the folder of the pictures; "" for none
}

// A driver is a tab of a browser. All of what it does ends with the context.
type driver interface {
	// navigate loads a page, and waits until it is there.
	navigate(ctx context.Context, url string) error
	// evaluate gives the value of an expression, for the result of which it waits.
	evaluate(ctx context.Context, expression string) (string, error)
	// press presses keys of keys.go and characters, one after the other, while modifiers are held.
	press(ctx context.Context, keys string, modifiers []Modifier) error
	// mouse moves the mouse, and presses or releases its left button.
	mouse(ctx context.Context, do action, at Point) error
	// picture gives what is seen of the page, as PNG.
	picture(ctx context.Context) ([]byte, error)
	// resize gives the inside of the window another size.
	resize(ctx context.Context, width, height int) error
	// front shows this tab, and not another one of the browser.
	front(ctx context.Context) error
	// tab opens another tab, for a test.
	tab(t *testing.T) (driver, error)
	// choose answers each window in which a user chooses files, with files; call it before.
	choose(ctx context.Context, files []string) error
	// downloads is the folder into which what a page downloads goes.
	downloads() string
	// process is the number of the browser's process; renderer tells the command lines of those
	// that run pages.
	process() int
	renderer(command []string) bool
	// leaving reports whether an error says no more than that the page is loading another.
	leaving(error) bool
}

// An action is one of the mouse.
type action int

const (
	moves action = iota
	presses
	releases
)

// Here returns the browser's program, or skips the test where it is not on the machine.
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

// Open starts the browser for a test, at a page.
func (b Browser) Open(t *testing.T, url string, o Options) Page {
	t.Helper()
	if o.Width == 0 {
		o.Width, o.Height = 1300, 1000
	}
	p := Page{T: t, driver: b.start(t, b.Here(t), o), shots: o.Shots, count: new(int)}
	p.Navigate(url)
	return p
}

// value is an expression whose value is the JSON of another's.
func value(expression string) string {
	return `(async () => JSON.stringify((await (` + expression + `)) ?? null))()`
}

// quote writes a string as a script has it.
func quote(s string) string {
	b, _ := json.Marshal(s) // a string does not fail
	return string(b)
}

// failed says what a page's script fails with.
func (o Options) failed(t *testing.T, text string) {
	switch {
	case o.Failed != nil:
		o.Failed(text)
	case !slices.ContainsFunc(o.Harmless, func(known string) bool { return strings.Contains(text, known) }):
		t.Errorf("the page's script failed: %s", text)
	}
}
