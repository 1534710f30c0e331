package jupyter

import (
	"io"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"overcomplete/internal/testfile"
	"overcomplete/kernel/wire"
)

const withControls = `{"cells":[{"cell_type":"markdown","source":"x"},{"outputs":[
 {"output_type":"stream","name":"stdout","text":["a"]},
 {"data":{"application/vnd.jupyter.widget-view+json":{"model_id":"m-1","version_major":2},"text/html":["<div id=\"widgets-m-1-1\"><input disabled>\n","</div>\n","<script>\n","f()</script>\n"]}},
 {"data":{"application/vnd.jupyter.widget-view+json":{"model_id":"m-2"},"text/html":"<div id=\"widgets-m-2-2\"></div><script>f()</script>"}},
 {"data":{"application/vnd.jupyter.widget-view+json":{"model_id":"kept"},"text/html":"<div id=\"widgets-kept-2\"></div>"}},
 {"data":{"application/vnd.jupyter.widget-view+json":{"model_id":"foreign"},"text/plain":"IntSlider()"}},
 {"data":{"text/html":"<div id=\"widgets-none\"></div>"}}]}],
 "metadata":{"widgets":{"application/vnd.jupyter.widget-state+json":{"state":{"kept":{}}}}},"nbformat":4}`

func TestSavedControls(t *testing.T) {
	got, err := savedControls(strings.NewReader(withControls))
	if err != nil {
		t.Fatal(err)
	}
	want(t, "controls", got, map[string]string{"m-1": "<div id=\"widgets-m-1-1\"><input disabled>\n</div>", "m-2": `<div id="widgets-m-2-2"></div>`})
	for _, bad := range []string{"", "[]", `{"cells":7}`, withControls[:300]} {
		if got, err := savedControls(strings.NewReader(bad)); err == nil || got != nil {
			t.Errorf("%.20q gives %v", bad, got)
		}
	}
}

// TestEarlier: a front end that asks for all states also gets the states that only the notebook's file has.
func TestEarlier(t *testing.T) {
	path := filepath.Join(t.TempDir(), "n.ipynb")
	s := start(t, standard(), Options{Notebook: path})
	ask := func() string {
		id := s.server.Comms().NewID()
		open := s.send(wire.Shell, "comm_open", map[string]any{"comm_id": id, "target_name": "jupyter.widget.control", "data": map[string]any{}})
		s.published(open)
		s.send(wire.Shell, "comm_msg", map[string]any{"comm_id": id, "data": map[string]any{"method": "request_states"}})
		for {
			if m, _ := s.recv(wire.IOPub); m.Header.MsgType == "comm_msg" {
				return string(m.Content)
			}
		}
	}
	want(t, "without a file", strings.Contains(ask(), `"states":{}`), true)
	testfile.Write(t, path, withControls)
	if got := ask(); !strings.Contains(got, `"m-1":{"model_module":"@jupyter-widgets/controls"`) || !strings.Contains(got, `"model_name":"HTMLModel"`) || !strings.Contains(got, "input disabled") || strings.Contains(got, "script") {
		t.Errorf("states: %s", got)
	}
	testfile.Write(t, path, "[]")
	want(t, "with a file that is none", strings.Contains(ask(), `"states":{}`), true)
}

// TestEarlierFolder: if only the folder is known, all its notebooks are searched, up to a limit.
func TestEarlierFolder(t *testing.T) {
	folder := t.TempDir()
	s := &Server{opt: Options{Notebook: folder}, log: log.New(io.Discard, "", 0)}
	write := func(name, text string, age time.Duration) {
		path := filepath.Join(folder, name)
		testfile.Write(t, path, text)
		when := time.Now().Add(-age)
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "folder.ipynb"), 0o700); err != nil {
		t.Fatal(err)
	}
	write("other.txt", withControls, 0)
	write("broken.ipynb", withControls[:500], 0)
	want(t, "nothing", len(s.savedControls()), 0)
	write("one.ipynb", withControls, time.Hour)
	write("two.ipynb", strings.ReplaceAll(withControls, "m-1", "n-1"), time.Minute)
	want(t, "ids", slices.Sorted(maps.Keys(s.savedControls())), "[m-1 m-2 n-1]")
	list, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	names := notebooksOf(folder, list)
	for i := range names {
		names[i] = filepath.Base(names[i])
	}
	want(t, "the newest first", names, "[broken.ipynb two.ipynb one.ipynb]")
	if _, err := readUpTo(filepath.Join(folder, "one.ipynb"), len(withControls)-1); err == nil {
		t.Error("a file that is too long was read")
	}
}

func FuzzSavedControls(f *testing.F) {
	f.Add([]byte(withControls))
	f.Add([]byte(`{"cells":[{"outputs":[{"data":{"text/html":[null]}}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		saved, err := savedControls(strings.NewReader(string(data)))
		for id, html := range saved {
			if id == "" || strings.Contains(html, "<script>") || err != nil {
				t.Errorf("%q: %q, %v", id, html, err)
			}
		}
	})
}
