package history

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"overcomplete/internal/testfile"
)

func ask(t *testing.T, h *History, request string) string {
	t.Helper()
	list, err := h.Answer(json.RawMessage(request))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// sessions3 writes two sessions to dir and returns a third.
func sessions3(t *testing.T, dir string) *History {
	t.Helper()
	for s := range 2 {
		h := New(dir)
		for i, src := range []string{"x := 1", fmt.Sprintf("y := %d", s), "x"} {
			h.Add(i+1, src)
		}
		h.Output(3, "1")
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
	}
	h := New(dir)
	h.Add(1, "z := \"ü\"\nz")
	h.Output(1, `"ü"`)
	h.Add(2, "x := 1")
	t.Cleanup(func() { h.Close() })
	return h
}

func TestRequests(t *testing.T) {
	h := sessions3(t, t.TempDir())
	for _, c := range []struct{ request, want string }{
		{`{"hist_access_type":"tail","n":2}`, `[[3,1,"z := \"ü\"\nz"],[3,2,"x := 1"]]`},
		{`{"hist_access_type":"tail","n":3,"output":true}`, `[[2,3,["x","1"]],[3,1,["z := \"ü\"\nz","\"ü\""]],[3,2,["x := 1",null]]]`},
		{`{"hist_access_type":"tail","n":0}`, `[]`},
		{`{"hist_access_type":"tail","n":-1}`, `[]`},
		{`{"hist_access_type":"range","session":0,"start":1,"stop":2}`, `[[3,1,"z := \"ü\"\nz"]]`},
		{`{"hist_access_type":"range","session":0,"start":2,"stop":null}`, `[[3,2,"x := 1"]]`},
		{`{"hist_access_type":"range","session":-1,"start":2,"stop":3}`, `[[2,2,"y := 1"]]`},
		{`{"hist_access_type":"range","session":-2,"start":2,"stop":3}`, `[[1,2,"y := 0"]]`},
		{`{"hist_access_type":"range","session":-9223372036854775808}`, `[]`},
		{`{"hist_access_type":"range","session":-3,"start":2,"stop":3}`, `[]`},
		{`{"hist_access_type":"range","session":1,"start":1,"stop":2}`, `[[1,1,"x := 1"]]`},
		{`{"hist_access_type":"search","pattern":"x*","n":2}`, `[[2,3,"x"],[3,2,"x := 1"]]`},
		{`{"hist_access_type":"search","pattern":"x*","unique":true}`, `[[2,3,"x"],[3,2,"x := 1"]]`},
		{`{"hist_access_type":"search","pattern":"y := [0-9]"}`, `[[1,2,"y := 0"],[2,2,"y := 1"]]`},
		{`{"hist_access_type":"search","pattern":"z*"}`, `[[3,1,"z := \"ü\"\nz"]]`},
		{`{"hist_access_type":"search","pattern":"nothing"}`, `[]`},
	} {
		if got := ask(t, h, c.request); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.request, got, c.want)
		}
	}
	if n := strings.Count(ask(t, h, `{"hist_access_type":"search"}`), `,"`); n != 8 {
		t.Errorf("a search for everything finds %d of 8", n)
	}
	for _, bad := range []string{`{"hist_access_type":"strange"}`, `[]`, `{"n":"x"}`} {
		if _, err := h.Answer(json.RawMessage(bad)); err == nil {
			t.Errorf("%s was answered", bad)
		}
	}
}

func TestOwnerOnly(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes say nothing on Windows; the folder is the user's own")
	}
	dir := filepath.Join(t.TempDir(), "a", "history")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	h := New(dir)
	defer h.Close()
	h.Add(1, "x")
	for path, want := range map[string]os.FileMode{dir: 0o700, h.path(1): 0o600} {
		if st, err := os.Stat(path); err != nil || st.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %v", path, st.Mode().Perm(), err, want)
		}
	}
}

func TestNothingOnDisk(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	t.Setenv(Switch, "off")
	h := ForUser()
	h.Add(1, "secret")
	if got := ask(t, h, `{"hist_access_type":"tail"}`); got != `[[1,1,"secret"]]` {
		t.Error(got)
	}
	if list, _ := filepath.Glob(filepath.Join(Dir(), "*")); len(list) > 0 {
		t.Errorf("written: %v", list)
	}
	t.Setenv(Switch, "")
	h = ForUser()
	defer h.Close()
	if list, _ := filepath.Glob(filepath.Join(Dir(), "*")); len(list) > 0 {
		t.Errorf("written before the first cell: %v", list)
	}
	h.Add(1, "x")
	if list, _ := filepath.Glob(filepath.Join(Dir(), "*")); len(list) != 1 {
		t.Errorf("files: %v", list)
	}
}

// TestHeld: a very long session keeps its latest cells.
func TestHeld(t *testing.T) {
	defer func(n int) { maxOwnBytes = n }(maxOwnBytes)
	maxOwnBytes = 1000
	h := New("")
	for i := range 100 {
		h.Add(i, strings.Repeat("x", 90))
		h.Output(i, "0123456789")
	}
	h.Output(3, "too late")
	if n := len(h.own); n != 10 || h.own[0].Line != 90 || h.own[9].Line != 99 || h.held != 1000 {
		t.Errorf("%d cells, %d bytes", n, h.held)
	}
	h.Add(100, strings.Repeat("y", 5000)) // larger than the limit, but kept because it is the last cell
	if len(h.own) != 1 || h.own[0].Line != 100 {
		t.Errorf("%d cells", len(h.own))
	}
}

// TestManyKernels: sessions that start at the same time get different numbers, and no cell is lost.
func TestManyKernels(t *testing.T) {
	dir := t.TempDir()
	const kernels, cells = 16, 50
	var wg sync.WaitGroup
	for k := range kernels {
		wg.Go(func() {
			h := New(dir)
			defer h.Close()
			for i := range cells {
				h.Add(i+1, fmt.Sprintf("kernel %d cell %d", k, i))
			}
		})
	}
	wg.Wait()
	h := New(dir)
	all, err := h.Find(Request{Type: "tail"})
	if err != nil || len(all) != kernels*cells {
		t.Fatalf("%d entries, %v; want %d", len(all), err, kernels*cells)
	}
	seen := map[string]bool{}
	for _, e := range all {
		seen[e.Source] = true
	}
	if len(seen) != kernels*cells {
		t.Errorf("%d different entries", len(seen))
	}
}

// TestDamagedFiles: a killed kernel leaves an incomplete line, and other programs may write anything.
func TestDamagedFiles(t *testing.T) {
	dir := t.TempDir()
	for name, data := range map[string]string{
		"00000003.jsonl": "{\"line\":1,\"source\":\"whole\"}\n{\"line\":2,\"sou",
		"00000004.jsonl": "\x00\x01 nonsense\n[1]\n{}\n{\"output\":\"of nothing\"}\n",
		"notes.txt":      "x",
		"-1.jsonl":       "x",
	} {
		testfile.Write(t, filepath.Join(dir, name), data)
	}
	h := New(dir)
	defer h.Close()
	h.Add(1, "new")
	if got := ask(t, h, `{"hist_access_type":"tail"}`); got != `[[3,1,"whole"],[5,1,"new"]]` {
		t.Error(got)
	}
}

func TestBounds(t *testing.T) {
	dir := t.TempDir()
	for i := range maxSessions + 20 {
		testfile.Write(t, New(dir).path(i+1), "{\"line\":1,\"source\":\"x\"}\n")
	}
	h := New(dir)
	defer h.Close()
	h.Add(1, strings.Repeat("ü", maxSource))
	files, err := sessions(dir)
	if err != nil || len(files) != maxSessions || files[len(files)-1].number != maxSessions+21 {
		t.Errorf("%d files, %v", len(files), err)
	}
	if n := len(h.own[0].Source); n != maxSource {
		t.Errorf("%d bytes of a cell kept", n)
	}
	for i := range 40 {
		h.Add(i+2, strings.Repeat("x", maxSource))
	}
	if st, err := os.Stat(h.path(h.session)); err != nil || st.Size() > maxSessionBytes {
		t.Errorf("the file has %d bytes, %v", st.Size(), err)
	}
	if len(h.own) != 41 {
		t.Errorf("%d entries in memory", len(h.own))
	}
}

// TestUnwritable: a history that cannot be written is kept in memory.
func TestUnwritable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	testfile.Write(t, file, "")
	h := New(filepath.Join(file, "below"))
	h.Add(1, "x")
	if got := ask(t, h, `{"hist_access_type":"tail"}`); got != `[[1,1,"x"]]` {
		t.Error(got)
	}
}

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, s string
		want       bool
	}{
		{"*", "", true}, {"", "", true}, {"", "a", false}, {"a*", "abc/d\ne", true}, {"*b", "ab", true}, {"*b", "ba", false},
		{"a?c", "aüc", true}, {"a?c", "ac", false}, {"[abc]x", "bx", true}, {"[^abc]x", "bx", false}, {"[^abc]x", "üx", true},
		{"[a-c]", "b", true}, {"[a-c]", "d", false}, {"[]]", "]", true}, {"x[", "x[", true}, {"x[1]", "x1", true}, {"x[1]", "x[1]", false},
		{"*a*b*c", "xxaxxbxxaxxc", true}, {"*a*b*c", "xxaxxbxxaxx", false}, {"**", "ab", true}, {"a**", "a", true}, {"[^", "[^", true},
	} {
		if got := glob(c.pattern, c.s); got != c.want {
			t.Errorf("glob(%q, %q) = %v", c.pattern, c.s, got)
		}
	}
	// With backtracking these patterns would take practically forever.
	if glob(strings.Repeat("*a", 100)+"b", strings.Repeat("a", 20000)) {
		t.Error("matched")
	}
}

func FuzzGlob(f *testing.F) {
	f.Add("a*[b-d]?", "abc")
	f.Add("[^\xff", "\xff")
	f.Fuzz(func(t *testing.T, pattern, s string) {
		glob(pattern, s)
		if !strings.ContainsAny(pattern, "*?[") && glob(pattern, s) != (pattern == s) {
			t.Errorf("glob(%q, %q)", pattern, s)
		}
		parse(1, s)
	})
}

// TestResume: a history that another program continues has the same number, cells and file.
func TestResume(t *testing.T) {
	for _, dir := range []string{t.TempDir(), ""} {
		h := New(dir)
		h.Add(1, "a")
		h.Output(1, "one")
		h.Add(2, "b") // this cell runs in the other program
		raw, err := json.Marshal(h.State())
		if err != nil {
			t.Fatal(err)
		}
		var st State
		if err := json.Unmarshal(raw, &st); err != nil {
			t.Fatal(err)
		}
		next := Resume(st)
		next.Output(2, "two")
		next.Add(3, "c")
		want := []Entry{{1, 1, "a", "one"}, {1, 2, "b", "two"}, {1, 3, "c", ""}}
		if got := next.all(); !reflect.DeepEqual(got, want) {
			t.Errorf("in %q: %v, want %v", dir, got, want)
		}
		next.Close()
		h.Close()
		if dir == "" {
			continue
		}
		later := New(dir)
		later.Add(1, "d")
		want = append(want, Entry{2, 1, "d", ""})
		if got := later.all(); !reflect.DeepEqual(got, want) {
			t.Errorf("in the file: %v, want %v", got, want)
		}
		later.Close()
		os.RemoveAll(dir)
		gone := Resume(st)
		gone.Add(3, "in memory")
		if got := len(gone.all()); got != 3 {
			t.Errorf("%d cells after the file has gone", got)
		}
	}
	if h := Resume(State{}); h.session != 0 {
		t.Error("a session without cells has a number")
	}
}
