package kernel

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"overcomplete/internal/testfile"
	"overcomplete/kernel/engine"
)

var clock = regexp.MustCompile(`\d\d:\d\d:\d\d`)

// TestStale runs the sessions of testdata/stale. A file has cells in the order in which they run, with the ids
// that a front end assigns. Below each cell, "-- out --" is followed by the cell's output. -update writes the
// output.
func TestStale(t *testing.T) {
	files, err := filepath.Glob("testdata/stale/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			k := open(t)
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			result := &txtar.Archive{Comment: a.Comment}
			n := 0
			for _, f := range a.Files {
				if f.Name == "out" {
					continue
				}
				n++
				out := &transcript{}
				id := f.Name
				if id == "none" {
					id = ""
				}
				err := k.Execute(context.Background(), engine.Cell{Name: fmt.Sprintf("In[%d]", n), ID: id, Source: strings.TrimSuffix(string(f.Data), "\n")}, out)
				text := clock.ReplaceAllString(out.String(), "TIME")
				if err != nil {
					text += err.Error() + "\n"
				}
				result.Files = append(result.Files, f)
				if text != "" {
					result.Files = append(result.Files, txtar.File{Name: "out", Data: []byte(text)})
				}
			}
			got, want := string(txtar.Format(result)), string(txtar.Format(a))
			switch {
			case *update:
				testfile.Write(t, file, got)
			case got != want:
				t.Errorf("got\n%s", got)
			}
		})
	}
}

// TestBasic checks which values count as equal. Methods of the values' types are not called.
func TestBasic(t *testing.T) {
	var none []int
	var err error
	long := strings.Repeat("a", 1000)
	for _, pair := range []struct {
		a, b any
		same bool
	}{
		{1, 1, true}, {1, 2, false}, {1, 1.0, false}, {"a", "a", true}, {"a", "b", false}, {true, false, false},
		{time.Second, 1000 * time.Millisecond, true}, {shouts(1), shouts(1), true}, {long + "a", long + "b", false}, {long, long, true},
		{1i, 1i, true}, {uint8(1), uint8(2), false},
	} {
		a, okA := basic(reflect.ValueOf(pair.a))
		b, okB := basic(reflect.ValueOf(pair.b))
		if !okA || !okB || (a == b) != pair.same || len(a) > 200 {
			t.Errorf("%v, %v: %q, %q", pair.a, pair.b, a, b)
		}
	}
	for _, nothing := range []reflect.Value{reflect.ValueOf(none), reflect.ValueOf(&err).Elem(), reflect.ValueOf((*int)(nil))} {
		if text, ok := basic(nothing); !ok || !strings.HasSuffix(text, " nil") {
			t.Errorf("%v: %q", nothing.Type(), text)
		}
	}
	for _, v := range []any{[]int{1}, struct{}{}, &long, map[string]int{}} {
		if _, ok := basic(reflect.ValueOf(v)); ok {
			t.Errorf("%T has a basic type", v)
		}
	}
}

type shouts int

func (shouts) String() string { panic("called") }
