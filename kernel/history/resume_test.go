package history

import (
	"encoding/json"
	"os"
	"reflect"
	"testing"
)

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
