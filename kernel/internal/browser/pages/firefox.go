package pages

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A firefox is a tab of Firefox.
type firefox struct {
	*firefoxProcess
	context string // BiDi's id of the tab

	mu    sync.Mutex
	files []string // files for the next file dialog
}

// A firefoxProcess is a running Firefox.
type firefoxProcess struct {
	*bidi
	command *exec.Cmd
	options Options
	folder  string // folder for downloads

	mu   sync.Mutex
	tabs map[string]*firefox
	test map[string]*testing.T
}

// firefoxSettings are the settings of a new profile. With them Firefox neither asks questions nor fetches
// anything on its own.
var firefoxSettings = map[string]any{
	"app.normandy.enabled":                                  false,
	"app.update.disabledForTesting":                         true,
	"browser.aboutwelcome.enabled":                          false,
	"browser.download.always_ask_before_handling_new_types": false,
	"browser.safebrowsing.malware.enabled":                  false,
	"browser.safebrowsing.phishing.enabled":                 false,
	"browser.shell.checkDefaultBrowser":                     false,
	"browser.startup.page":                                  0,
	"browser.topsites.contile.enabled":                      false,
	"datareporting.policy.dataSubmissionEnabled":            false,
	"dom.ipc.processPrelaunch.enabled":                      false, // so that each content process has a page
	"extensions.getAddons.cache.enabled":                    false,
	"network.captive-portal-service.enabled":                false,
	"network.connectivity-service.enabled":                  false,
	"services.settings.server":                              "data:,#remote-settings-dummy/v1",
	"toolkit.telemetry.server":                              "",
}

func startFirefox(t *testing.T, program string, o Options) driver {
	t.Helper()
	f := &firefoxProcess{options: o, folder: t.TempDir(), tabs: map[string]*firefox{}, test: map[string]*testing.T{}}
	tab, err := f.start(t, program)
	if err != nil {
		t.Fatal("Firefox: ", err)
	}
	return tab
}

// start runs Firefox, connects, and opens a tab.
func (f *firefoxProcess) start(t *testing.T, program string) (driver, error) {
	home := t.TempDir()
	profile := filepath.Join(home, "profile")
	if err := f.writeProfile(profile); err != nil {
		return nil, err
	}
	f.command = exec.Command(program, "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0")
	f.command.Env = append(os.Environ(), "HOME="+home, "XDG_CACHE_HOME="+home, "MOZ_CRASHREPORTER_DISABLE=1",
		fmt.Sprintf("MOZ_HEADLESS_WIDTH=%d", f.options.Width), fmt.Sprintf("MOZ_HEADLESS_HEIGHT=%d", f.options.Height))
	said, err := f.command.StderrPipe()
	if err == nil {
		err = f.command.Start()
	}
	if err != nil {
		return nil, err
	}
	t.Cleanup(f.end)
	ctx, cancel := context.WithTimeout(t.Context(), Soon)
	defer cancel()
	address, err := firefoxAddress(ctx, said)
	if err != nil {
		return nil, err
	}
	if f.bidi, err = dialBidi(ctx, address+"/session", f.listen); err != nil {
		return nil, err
	}
	accept := map[string]any{"default": "accept", "beforeUnload": "accept", "file": "ignore"}
	if err := f.call(ctx, "session.new", map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{"unhandledPromptBehavior": accept}}}, nil); err != nil {
		return nil, err
	}
	if err := f.call(ctx, "session.subscribe", map[string]any{"events": []string{"log.entryAdded", "input.fileDialogOpened"}}, nil); err != nil {
		return nil, err
	}
	if f.options.Script != "" {
		if err := f.call(ctx, "script.addPreloadScript", map[string]any{"functionDeclaration": "() => {" + f.options.Script + "\n}"}, nil); err != nil {
			return nil, err
		}
	}
	if err := f.call(ctx, "browser.setDownloadBehavior", map[string]any{"downloadBehavior": map[string]any{"type": "allowed", "destinationFolder": f.folder}}, nil); err != nil {
		return nil, err
	}
	return f.tab(t)
}

// writeProfile makes a new folder and writes a Firefox profile into it, with firefoxSettings and with settings for f's
// options.
func (f *firefoxProcess) writeProfile(folder string) error {
	settings := maps.Clone(firefoxSettings)
	settings["layout.css.prefers-color-scheme.content-override"] = 1
	if f.options.Dark {
		settings["layout.css.prefers-color-scheme.content-override"] = 0
	}
	settings["ui.prefersReducedMotion"] = 0
	if f.options.Still {
		settings["ui.prefersReducedMotion"] = 1
	}
	settings["javascript.options.wasm"] = !f.options.NoWebAssembly
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		v, err := json.Marshal(settings[name])
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "user_pref(%q, %s);\n", name, v)
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "user.js"), []byte(text.String()), 0o600)
}

// firefoxAddress returns the address on which Firefox listens. It reads the address from stderr, which is Firefox's
// standard error.
func firefoxAddress(ctx context.Context, stderr io.Reader) (string, error) {
	found := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			if _, address, ok := strings.Cut(lines.Text(), "WebDriver BiDi listening on "); ok {
				found <- address
			}
		}
		close(found)
		io.Copy(io.Discard, stderr) // also read what follows a line that is too long, so that Firefox does not block
	}()
	select {
	case address, ok := <-found:
		if !ok {
			return "", errors.New("it has ended before it said where it listens")
		}
		return address, nil
	case <-ctx.Done():
		return "", fmt.Errorf("it does not say where it listens: %w", ctx.Err())
	}
}

// end closes the browser. If Firefox is still running ten seconds later, end kills it.
func (f *firefoxProcess) end() {
	ended := make(chan struct{})
	go func() { f.command.Wait(); close(ended) }()
	if f.bidi != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		f.call(ctx, "browser.close", map[string]any{}, nil)
	}
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		f.command.Process.Kill()
		<-ended
	}
}

// tab opens a tab. Errors of scripts in the tab fail the test t.
func (f *firefoxProcess) tab(t *testing.T) (driver, error) {
	ctx, cancel := context.WithTimeout(t.Context(), Soon)
	defer cancel()
	var created struct{ Context string }
	if err := f.call(ctx, "browsingContext.create", map[string]any{"type": "tab"}, &created); err != nil {
		return nil, err
	}
	tab := &firefox{firefoxProcess: f, context: created.Context}
	f.mu.Lock()
	f.tabs[tab.context], f.test[tab.context] = tab, t
	f.mu.Unlock()
	return tab, tab.resize(ctx, f.options.Width, f.options.Height)
}

// ofMarkup is the beginning of messages about MathML. Firefox reports these messages among script errors, even for a
// formula that has only partly been loaded.
const ofMarkup = "Invalid markup: "

// listen handles file dialogs, and fails the test when a page's script fails.
func (f *firefoxProcess) listen(method string, params json.RawMessage) {
	var e struct {
		Context string // the dialog's tab
		Element map[string]any
		Type    string
		Level   string
		Text    string
		Source  struct{ Context string }
	}
	if json.Unmarshal(params, &e) != nil {
		return
	}
	switch method {
	case "log.entryAdded":
		f.mu.Lock()
		t := f.test[e.Source.Context]
		f.mu.Unlock()
		if t != nil && e.Type == "javascript" && e.Level == "error" && !strings.HasPrefix(e.Text, ofMarkup) {
			f.options.failed(t, e.Text)
		}
	case "input.fileDialogOpened":
		f.mu.Lock()
		tab := f.tabs[e.Context]
		f.mu.Unlock()
		if tab != nil {
			go tab.chosen(e.Element)
		}
	}
}

// chosen answers a file dialog. It passes the files, which an earlier call to choose has set, to the element that
// opened the dialog.
func (f *firefox) chosen(element map[string]any) {
	f.mu.Lock()
	files := f.files
	f.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), Soon)
	defer cancel()
	f.inTab(ctx, "input.setFiles", map[string]any{"element": element, "files": files}, nil)
}

// inTab runs a command for this tab.
func (f *firefox) inTab(ctx context.Context, method string, params map[string]any, result any) error {
	params["context"] = f.context
	return f.call(ctx, method, params, result)
}

func (f *firefox) navigate(ctx context.Context, url string) error {
	return f.inTab(ctx, "browsingContext.navigate", map[string]any{"url": url, "wait": "complete"}, nil)
}

func (f *firefox) evaluate(ctx context.Context, expression string) (string, error) {
	var answer struct {
		Type             string
		Result           struct{ Value string }
		ExceptionDetails struct{ Text string }
	}
	err := f.call(ctx, "script.evaluate", map[string]any{
		"expression": expression, "awaitPromise": true, "target": map[string]any{"context": f.context}}, &answer)
	if err == nil && answer.Type == "exception" {
		err = errors.New(answer.ExceptionDetails.Text)
	}
	return answer.Result.Value, err
}

// perform performs the actions of one input device, the keyboard or the mouse. Keys and buttons that are still pressed
// at the end stay pressed.
func (f *firefox) perform(ctx context.Context, device map[string]any) error {
	return f.inTab(ctx, "input.performActions", map[string]any{"actions": []any{device}}, nil)
}

func (f *firefox) press(ctx context.Context, keys string, modifiers []Modifier) error {
	var do []any
	add := func(kind string, key rune) { do = append(do, map[string]any{"type": kind, "value": string(key)}) }
	for _, m := range modifiers {
		add("keyDown", rune(m))
	}
	for _, r := range keys {
		if r == '\n' {
			r = []rune(Enter)[0]
		}
		add("keyDown", r)
		add("keyUp", r)
	}
	for _, m := range modifiers {
		add("keyUp", rune(m))
	}
	return f.perform(ctx, map[string]any{"type": "key", "id": "keyboard", "actions": do})
}

func (f *firefox) mouse(ctx context.Context, do action, at Point) error {
	act := map[string]any{"type": "pointerMove", "x": int(at.X), "y": int(at.Y), "duration": 0}
	switch do {
	case presses:
		act = map[string]any{"type": "pointerDown", "button": 0}
	case releases:
		act = map[string]any{"type": "pointerUp", "button": 0}
	}
	return f.perform(ctx, map[string]any{"type": "pointer", "id": "mouse",
		"parameters": map[string]any{"pointerType": "mouse"}, "actions": []any{act}})
}

func (f *firefox) picture(ctx context.Context) ([]byte, error) {
	var answer struct{ Data string }
	if err := f.inTab(ctx, "browsingContext.captureScreenshot", map[string]any{}, &answer); err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(answer.Data)
}

func (f *firefox) resize(ctx context.Context, width, height int) error {
	return f.inTab(ctx, "browsingContext.setViewport", map[string]any{"viewport": map[string]any{"width": width, "height": height}}, nil)
}

func (f *firefox) front(ctx context.Context) error {
	return f.inTab(ctx, "browsingContext.activate", map[string]any{}, nil)
}

func (f *firefox) choose(_ context.Context, files []string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.files = files
	return nil
}

func (f *firefoxProcess) downloads() string { return f.folder }

func (f *firefoxProcess) process() int { return f.command.Process.Pid }

// renderer reports whether a command line belongs to a process that renders pages. The last word of such a command line
// is "tab".
func (f *firefoxProcess) renderer(command []string) bool {
	return slices.Contains(command, "-contentproc") && command[len(command)-1] == "tab"
}

// leaving reports whether err only means that the page went away while a command was running.
func (f *firefoxProcess) leaving(err error) bool {
	var e *bidiError
	if !errors.As(err, &e) {
		return false
	}
	return e.kind == "no such frame" || strings.Contains(e.message, "destroyed before query resolved") ||
		strings.Contains(e.message, "Browsing context got discarded") || strings.Contains(e.message, "AbortError")
}
