package pages

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Soon is the general timeout. It is long because the machine may be busy: a test only needs to know whether
// an answer comes at all.
const Soon = 3 * time.Minute

// Shortly is the timeout of Eventually. When Eventually times out, the test fails but continues.
const Shortly = time.Minute

// A Page is a page in a browser, for a test.
type Page struct {
	*testing.T
	Prefix string // prefix of screenshot names
	driver driver
	shots  string // folder for screenshots; "" for none
	count  *int
}

// In returns the same page for use in the subtest t.
func (p Page) In(t *testing.T) Page {
	p.T = t
	return p
}

// Tab opens url in another tab of the browser and returns the new page.
func (p Page) Tab(url string) Page {
	p.Helper()
	d, err := p.driver.tab(p.T)
	if err != nil {
		p.Fatal(err)
	}
	p.driver = d
	p.Navigate(url)
	return p
}

// Navigate loads another page.
func (p Page) Navigate(url string) {
	p.Helper()
	p.do(func(ctx context.Context) error { return p.driver.navigate(ctx, url) })
}

// Reload loads the page anew.
func (p Page) Reload() {
	p.Helper()
	Eval[bool](p, `(window.old = true, setTimeout(() => location.reload()), true)`)
	p.Until(`!window.old && document.readyState === "complete"`)
}

// Front brings the page to the front, because a hidden page draws nothing.
func (p Page) Front() {
	p.Helper()
	p.do(p.driver.front)
}

// Resize changes the viewport size.
func (p Page) Resize(width, height int) {
	p.Helper()
	p.do(func(ctx context.Context) error { return p.driver.resize(ctx, width, height) })
	p.Until(`innerWidth === %d`, width)
}

func (p Page) do(what func(context.Context) error) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.Context(), Soon)
	defer cancel()
	if err := what(ctx); err != nil {
		p.Shot("failed")
		p.Fatal(err)
	}
}

// Eval returns the value of the JavaScript expression made from format and args. If the value is a promise, Eval waits
// for it. An error fails the test.
func Eval[T any](p Page, format string, args ...any) T {
	p.Helper()
	expression := fmt.Sprintf(format, args...)
	v, err := ask[T](p, expression)
	if err != nil {
		p.Shot("failed")
		p.Fatalf("%s: %v", expression, err)
	}
	return v
}

// ask is like Eval, but returns the error, which the caller can ignore while the tab is loading another page.
func ask[T any](p Page, expression string) (v T, err error) {
	ctx, cancel := context.WithTimeout(p.Context(), Soon)
	defer cancel()
	text, err := p.driver.evaluate(ctx, value(expression))
	if err == nil {
		err = json.Unmarshal([]byte(text), &v)
	}
	return v, err
}

// Holds waits until a JavaScript expression is true, but not longer than the limit, and reports whether it became true.
// An expression that throws an exception counts as false.
func (p Page) Holds(limit time.Duration, format string, args ...any) bool {
	p.Helper()
	expression := fmt.Sprintf(format, args...)
	for begin := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		yes, err := ask[bool](p, "(async function(){try{return !!await ("+expression+")}catch(e){return false}})()")
		if yes {
			return true
		}
		if err != nil && !p.driver.leaving(err) {
			p.Shot("failed")
			p.Fatalf("%s: %v", expression, err)
		}
		if time.Since(begin) > limit {
			return false
		}
	}
}

// Until waits until a JavaScript expression is true. It fails the test if this takes longer than Soon.
func (p Page) Until(format string, args ...any) {
	p.Helper()
	p.Within(Soon, format, args...)
}

// Within waits until a JavaScript expression is true. It fails the test if this takes longer than the limit.
func (p Page) Within(limit time.Duration, format string, args ...any) {
	p.Helper()
	if !p.Holds(limit, format, args...) {
		p.Shot("failed")
		p.Fatalf("never true: %s\nthe page says:\n%s", fmt.Sprintf(format, args...),
			Eval[string](p, `(document.querySelector("#notebook, .jp-Notebook") || document.body).innerText.slice(-3000)`))
	}
}

// Eventually waits until a JavaScript expression is true. If this takes longer than Shortly, the test fails but
// continues. The failure message begins with the text in what.
func (p Page) Eventually(what, format string, args ...any) {
	p.Helper()
	if !p.Holds(Shortly, format, args...) {
		p.Shot("failed")
		p.Errorf("%s: %s is not true", what, fmt.Sprintf(format, args...))
	}
}

// Shot saves a screenshot of the page in the folder for screenshots. If there is no such folder, Shot does nothing.
func (p Page) Shot(name string) {
	p.Helper()
	if p.shots == "" {
		return
	}
	// This must work for a finished test too, and the context of a finished test is canceled.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.Context()), Soon)
	defer cancel()
	b, err := p.driver.picture(ctx)
	if err == nil {
		err = os.MkdirAll(p.shots, 0o700)
	}
	*p.count++
	if err == nil {
		err = os.WriteFile(filepath.Join(p.shots, fmt.Sprintf("%s%02d-%s.png", p.Prefix, *p.count, name)), b, 0o600)
	}
	if err != nil {
		p.Errorf("screenshot: %v", err)
	}
}
