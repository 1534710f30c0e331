package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// soon is how long anything may take. It is long because the machine may be
// busy; nothing is judged by it but that an answer comes.
const soon = 60 * time.Second

// program finds the first of the names, or skips the test.
func program(t *testing.T, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skipf("there is no %s: this test needs a real browser and the classic Notebook", strings.Join(names, " or "))
	return ""
}

// A notebookServer is a classic Notebook that knows this kernel, in folders of the
// test.
type notebookServer struct {
	url, token string
	folder     string // of its notebooks
}

func startServer(t *testing.T) notebookServer {
	t.Helper()
	jupyter := program(t, "/usr/bin/jupyter-notebook", "jupyter-notebook")
	version, err := exec.Command(jupyter, "--version").Output()
	if err != nil || !strings.HasPrefix(string(version), "6.") && !strings.HasPrefix(string(version), "5.") {
		t.Skipf("%s is version %q (%v), not the classic Notebook", jupyter, version, err)
	}
	dir := t.TempDir()
	binary := os.Getenv("OVERCOMPLETE_BIN")
	if binary == "" {
		binary = filepath.Join(dir, "overcomplete")
		build := exec.Command("go", "build", "-o", binary, "./cmd/overcomplete")
		build.Dir = "../../.."
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("go build: %v\n%s", err, out)
		}
	}
	if out, err := exec.Command(binary, "install", "--prefix", dir).CombinedOutput(); err != nil {
		t.Fatalf("install: %v\n%s", err, out)
	}
	s := notebookServer{token: "browser-test", folder: filepath.Join(dir, "notebooks")}
	if err := os.Mkdir(s.folder, 0o700); err != nil {
		t.Fatal(err)
	}
	port := freePort(t)
	s.url = fmt.Sprintf("http://127.0.0.1:%d", port)
	log, err := os.Create(filepath.Join(dir, "server.log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(jupyter, "--no-browser", "--allow-root", "--ip=127.0.0.1", fmt.Sprintf("--port=%d", port),
		"--NotebookApp.port_retries=0", "--NotebookApp.token="+s.token, "--notebook-dir="+s.folder)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(os.Environ(),
		"HOME="+dir, "XDG_DATA_HOME="+filepath.Join(dir, "xdg"),
		"JUPYTER_PATH="+filepath.Join(dir, "share", "jupyter"),
		"JUPYTER_DATA_DIR="+filepath.Join(dir, "data"),
		"JUPYTER_CONFIG_DIR="+filepath.Join(dir, "config"),
		"JUPYTER_RUNTIME_DIR="+filepath.Join(dir, "runtime"),
	)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Process.Signal(os.Interrupt) // the second one is the answer to "really?"
		done := make(chan struct{})
		go func() { cmd.Wait(); close(done) }()
		select {
		case <-done:
		case <-time.After(10 * time.Second):
			cmd.Process.Kill()
			<-done
		}
		log.Close()
		if t.Failed() {
			b, _ := os.ReadFile(log.Name())
			t.Logf("the server's log:\n%s", b)
		}
	})
	for begin := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		if _, err = s.get("/api/status"); err == nil {
			return s
		}
		if time.Since(begin) > soon {
			t.Fatalf("the server does not answer: %v", err)
		}
	}
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func (s notebookServer) get(path string) ([]byte, error) {
	r, err := http.Get(s.url + path + "?token=" + s.token)
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err == nil && r.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", r.Status, b)
	}
	return b, err
}

// write makes a notebook of cells; those that begin with "# " are Markdown.
func (s notebookServer) write(t *testing.T, name string, cells ...string) {
	t.Helper()
	var list []map[string]any
	for _, src := range cells {
		c := map[string]any{"cell_type": "code", "source": src, "metadata": map[string]any{}, "outputs": []any{}, "execution_count": nil}
		if strings.HasPrefix(src, "# ") {
			c = map[string]any{"cell_type": "markdown", "source": src, "metadata": map[string]any{}}
		}
		list = append(list, c)
	}
	b, err := json.Marshal(map[string]any{
		"cells": list, "nbformat": 4, "nbformat_minor": 4,
		"metadata": map[string]any{"kernelspec": map[string]any{"name": "overcomplete", "display_name": "Go (overcomplete)", "language": "go"}},
	})
	if err == nil {
		err = os.WriteFile(filepath.Join(s.folder, name), b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A page is the notebook in the browser. Cells are counted from 0.
type page struct {
	*testing.T
	ctx   context.Context
	shots string // "" for none
	count *int
}

func openPage(t *testing.T, url string) page {
	t.Helper()
	chromium := program(t, "chromium", "chromium-browser", "google-chrome")
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.WindowSize(1100, 1000),
		chromedp.UserDataDir(t.TempDir()))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	p := page{T: t, ctx: ctx, shots: os.Getenv("OVERCOMPLETE_SCREENSHOTS"), count: new(int)}
	// What is first done with a context has the browser live as long as it does.
	err := chromedp.Listen(ctx, func(e any) {
		if e, ok := e.(*runtime.EventExceptionThrown); ok {
			t.Errorf("the page's script failed: %+v", e.ExceptionDetails)
		}
	})
	if err == nil {
		err = chromedp.Do(ctx, chromedp.Navigate(url))
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// in gives the page to a subtest.
func (p page) in(t *testing.T) page {
	p.T = t
	return p
}

func (p page) do(action chromedp.Action[chromedp.Void]) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, soon)
	defer cancel()
	if err := chromedp.Do(ctx, action); err != nil {
		p.shot("failed")
		p.Fatal(err)
	}
}

// eval returns the value of a script's expression.
func eval[T any](p page, format string, args ...any) T {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, soon)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](fmt.Sprintf(format, args...), chromedp.EvalAwaitPromise))
	if err != nil {
		p.shot("failed")
		p.Fatalf("%s: %v", fmt.Sprintf(format, args...), err)
	}
	return v
}

// until waits until an expression is true.
func (p page) until(format string, args ...any) {
	p.Helper()
	expression := fmt.Sprintf(format, args...)
	for begin := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		if eval[bool](p, "!!(function(){try{return (%s)}catch(e){return false}})()", expression) {
			return
		}
		if time.Since(begin) > soon {
			p.shot("failed")
			p.Fatalf("never true: %s\nthe page says:\n%s", expression, eval[string](p, `document.querySelector("#notebook") ? document.querySelector("#notebook").innerText.slice(-3000) : document.body.innerText`))
		}
	}
}

// shot takes a picture of the page.
func (p page) shot(name string) {
	p.Helper()
	if p.shots == "" {
		return
	}
	ctx, cancel := context.WithTimeout(p.ctx, soon)
	defer cancel()
	b, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.MkdirAll(p.shots, 0o700)
	}
	*p.count++
	if err == nil {
		err = os.WriteFile(filepath.Join(p.shots, fmt.Sprintf("%02d-%s.png", *p.count, name)), b, 0o600)
	}
	if err != nil {
		p.Errorf("screenshot: %v", err)
	}
}

// ready waits for a notebook that is loaded and has an idle kernel.
func (p page) ready() {
	p.Helper()
	p.until(`window.Jupyter && Jupyter.notebook && Jupyter.notebook._fully_loaded && Jupyter.notebook.kernel && Jupyter.notebook.kernel.is_connected() && document.querySelector("#kernel_indicator_icon.kernel_idle_icon")`)
}

func quote(s string) string {
	b, _ := json.Marshal(s) // a string does not fail
	return string(b)
}

// cell puts a new cell at the end, in edit mode, and gives its number.
func (p page) cell(src string) int {
	p.Helper()
	n := eval[int](p, `(function(){var nb = Jupyter.notebook, c = nb.insert_cell_at_bottom("code"), n = nb.ncells() - 1;
		c.set_text(%s); nb.select(n); nb.focus_cell(); nb.edit_mode(); c.code_mirror.execCommand("goDocEnd");
		c.element[0].scrollIntoView(); return n})()`, quote(src))
	return n
}

// key types keys in the browser. A key is pressed as by a hand: its character
// comes with it, unless the page has taken the key for itself.
func (p page) key(keys string, modifiers ...chromedp.Modifier) {
	p.Helper()
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		for _, r := range keys {
			events := kb.Encode(r)
			down, up := events[0], events[len(events)-1]
			for _, m := range modifiers {
				down.Modifiers |= int64(m)
				up.Modifiers |= int64(m)
			}
			if len(events) == 3 && down.Modifiers&^int64(chromedp.ModifierShift) == 0 {
				down.Text, down.UnmodifiedText = events[1].Text, events[1].UnmodifiedText
				down.Type = input.DispatchKeyEventTypeKeyDown
			}
			for _, e := range []*input.DispatchKeyEventParams{down, up} {
				if _, err := cdp.Call(ctx, t, input.DispatchKeyEvent, *e); err != nil {
					return err
				}
			}
		}
		return nil
	}))
}

func (p page) click(selector string) {
	p.Helper()
	p.do(chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

// start runs the selected cell and does not wait.
func (p page) start() {
	p.Helper()
	p.key(kb.Enter, chromedp.ModifierCtrl)
}

func (p page) done(n int) {
	p.Helper()
	p.until(`typeof Jupyter.notebook.get_cell(%d).input_prompt_number === "number"`, n)
}

// run puts a cell at the end, runs it, and gives its number.
func (p page) run(src string) int {
	p.Helper()
	n := p.cell(src)
	p.start()
	p.done(n)
	eval[bool](p, `(Jupyter.notebook.get_cell(%d).element[0].scrollIntoView(), true)`, n)
	return n
}

// output returns what can be read below a cell.
func (p page) output(n int) string {
	p.Helper()
	return eval[string](p, `Jupyter.notebook.get_cell(%d).output_area.element[0].innerText`, n)
}

// has checks what can be read below a cell.
func (p page) has(n int, want ...string) {
	p.Helper()
	// The reply that sets a cell's number comes on another channel than its output, and
	// may be first.
	var got string
	lacks := func(w string) bool { return !strings.Contains(got, w) }
	for begin := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		got = p.output(n)
		if !slices.ContainsFunc(want, lacks) {
			return
		}
		if time.Since(begin) > 3*time.Second {
			break
		}
	}
	for _, w := range want {
		if lacks(w) {
			p.Errorf("cell %d shows\n%s\nwhich lacks %q", n, got, w)
		}
	}
}

// element returns a script's expression for the first element below a cell.
func element(n int, selector string) string {
	return fmt.Sprintf(`Jupyter.notebook.get_cell(%d).output_area.element[0].querySelector(%s)`, n, quote(selector))
}

// source returns the text of a cell.
func (p page) source(n int) string {
	p.Helper()
	return eval[string](p, `Jupyter.notebook.get_cell(%d).get_text()`, n)
}

// save saves the notebook and gives what is in its file.
func (p page) save(s notebookServer, name string) string {
	p.Helper()
	eval[bool](p, `(window.savedNow = false, Jupyter.notebook.events.one("notebook_saved.Notebook", function(){ window.savedNow = true }), true)`)
	p.click(`button[data-jupyter-action="jupyter-notebook:save-notebook"]`)
	p.until(`window.savedNow`)
	b, err := os.ReadFile(filepath.Join(s.folder, name))
	if err != nil {
		p.Fatal(err)
	}
	return string(b)
}
