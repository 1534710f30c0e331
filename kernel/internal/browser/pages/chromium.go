package pages

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A chromium is a tab of Chromium.
type chromium struct {
	ctx     context.Context // chromedp's context
	options Options
	folder  string // folder for downloads
	held    bool   // the mouse button is pressed

	mu    sync.Mutex
	files []string // files for the next file dialog
}

func startChromium(t *testing.T, program string, o Options) driver {
	t.Helper()
	flags := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.WindowSize(o.Width, o.Height),
		chromedp.UserDataDir(t.TempDir()), chromedp.WSURLReadTimeout(Soon))
	if o.NoWebAssembly {
		flags = append(flags, chromedp.Flag("js-flags", "--jitless")) // --noexpose_wasm no longer has an effect
	}
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), flags...)
	t.Cleanup(cancel)
	c := &chromium{ctx: ctx, options: o, folder: t.TempDir()}
	d, err := c.tab(t)
	if err == nil {
		_, err = chromedp.CallBrowser(d.(*chromium).ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
			Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: c.folder})
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (c *chromium) tab(t *testing.T) (driver, error) {
	ctx, cancel := chromedp.NewContext(c.ctx)
	t.Cleanup(cancel)
	d := &chromium{ctx: ctx, options: c.options, folder: c.folder}
	// The first use of a context ties the browser's lifetime to the context.
	if err := chromedp.Listen(ctx, func(e any) { d.listen(t, e) }); err != nil {
		return nil, err
	}
	return d, chromedp.Do(ctx, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error { return d.prepare(ctx, t) }))
}

// prepare applies the options to a tab. It also makes the browser report the tab's file dialogs as events (see listen)
// instead of showing the dialogs on the screen.
func (c *chromium) prepare(ctx context.Context, t *chromedp.Target) error {
	if c.options.Script != "" {
		if _, err := cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: c.options.Script}); err != nil {
			return err
		}
	}
	var features []*emulation.MediaFeature
	if c.options.Dark {
		features = append(features, &emulation.MediaFeature{Name: "prefers-color-scheme", Value: "dark"})
	}
	if c.options.Still {
		features = append(features, &emulation.MediaFeature{Name: "prefers-reduced-motion", Value: "reduce"})
	}
	if features != nil {
		if _, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features}); err != nil {
			return err
		}
	}
	if _, err := cdp.Call(ctx, t, page.SetInterceptFileChooserDialog, page.SetInterceptFileChooserDialogParams{Enabled: true}); err != nil {
		return err
	}
	_, err := chromedp.EmulateViewport(int64(c.options.Width), int64(c.options.Height))(ctx, t)
	return err
}

// listen answers the page's dialogs, and fails the test when the page's script fails.
func (c *chromium) listen(t *testing.T, e any) {
	switch e := e.(type) {
	case *runtime.EventExceptionThrown:
		text := fmt.Sprintf("%+v", e.ExceptionDetails)
		if e.ExceptionDetails.Exception != nil {
			text += e.ExceptionDetails.Exception.Description
		}
		c.options.failed(t, text)
	case *page.EventJavascriptDialogOpening: // a dialog that asks whether to leave with unsaved changes
		go chromedp.Call(c.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true})
	case *page.EventFileChooserOpened:
		c.mu.Lock()
		files := c.files
		c.mu.Unlock()
		go chromedp.Call(c.ctx, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: files, BackendNodeID: e.BackendNodeID})
	}
}

// run runs a chromedp action in the tab's own context, until ctx is done.
func run[T any](c *chromium, ctx context.Context, do chromedp.Action[T]) (T, error) {
	own, cancel := context.WithCancelCause(c.ctx)
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { cancel(ctx.Err()) })()
	return chromedp.Run(own, do)
}

// call runs a command of the Chrome DevTools Protocol in the tab and drops its result.
func call[P, R any](c *chromium, ctx context.Context, command cdp.Command[P, R], params P) error {
	_, err := run(c, ctx, func(ctx context.Context, t *chromedp.Target) (R, error) { return cdp.Call(ctx, t, command, params) })
	return err
}

func (c *chromium) navigate(ctx context.Context, url string) error {
	_, err := run(c, ctx, chromedp.Navigate(url))
	return err
}

func (c *chromium) evaluate(ctx context.Context, expression string) (string, error) {
	return run(c, ctx, chromedp.Evaluate[string](expression, chromedp.EvalAwaitPromise))
}

func (c *chromium) press(ctx context.Context, keys string, modifiers []Modifier) error {
	bits := map[Modifier]chromedp.Modifier{Shift: chromedp.ModifierShift, Control: chromedp.ModifierCtrl, Alt: chromedp.ModifierAlt}
	held := int64(0)
	for _, m := range modifiers {
		held |= int64(bits[m])
	}
	for _, r := range keys {
		if key, ok := chromiumKeys[r]; ok {
			r = []rune(key)[0]
		}
		events := kb.Encode(r)
		down, up := events[0], events[len(events)-1]
		down.Modifiers |= held
		up.Modifiers |= held
		if len(events) == 3 && down.Modifiers&^int64(chromedp.ModifierShift) == 0 {
			down.Text, down.UnmodifiedText = events[1].Text, events[1].UnmodifiedText
			down.Type = input.DispatchKeyEventTypeKeyDown
		}
		for _, e := range []*input.DispatchKeyEventParams{down, up} {
			if err := call(c, ctx, input.DispatchKeyEvent, *e); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *chromium) mouse(ctx context.Context, do action, at Point) error {
	if do != moves {
		c.held = do == presses
	}
	kind := map[action]input.DispatchMouseEventType{moves: chromedp.MouseMoved, presses: chromedp.MousePressed, releases: chromedp.MouseReleased}[do]
	_, err := run(c, ctx, chromedp.MouseEvent(kind, at.X, at.Y, func(e *input.DispatchMouseEventParams) {
		switch {
		case do != moves:
			e.Button, e.ClickCount = input.MouseButtonLeft, 1
		case c.held: // a drag
			e.Button = input.MouseButtonLeft
		}
		if c.held {
			e.Buttons = 1
		}
	}))
	return err
}

func (c *chromium) picture(ctx context.Context) ([]byte, error) {
	return run(c, ctx, chromedp.CaptureScreenshot())
}

func (c *chromium) resize(ctx context.Context, width, height int) error {
	_, err := run(c, ctx, chromedp.EmulateViewport(int64(width), int64(height)))
	return err
}

func (c *chromium) front(ctx context.Context) error {
	return call(c, ctx, page.BringToFront, cdp.Empty{})
}

func (c *chromium) choose(_ context.Context, files []string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.files = files
	return nil
}

func (c *chromium) downloads() string { return c.folder }

func (c *chromium) process() int { return chromedp.FromContext(c.ctx).Browser.Process().Pid }

func (c *chromium) renderer(command []string) bool {
	return slices.Contains(command, "--type=renderer")
}

func (c *chromium) leaving(err error) bool {
	return strings.Contains(err.Error(), "Inspected target navigated")
}
