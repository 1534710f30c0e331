package display_test

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"overcomplete/internal/patience"
	. "overcomplete/ui/display"
)

// TestUpdateSoon checks that few of many updates are shown, in order, including the last one.
func TestUpdateSoon(t *testing.T) {
	var mu sync.Mutex
	var shown []string
	old := SetPublisher(func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		if !e.Update || e.Data.Transient["display_id"] != "id" {
			t.Errorf("event %+v", e)
		}
		shown = append(shown, e.Data.Data[MIMETypeText].(string))
	})
	defer func() { SetPublisher(old) }()
	last := func() string {
		mu.Lock()
		defer mu.Unlock()
		return shown[len(shown)-1]
	}
	begin := time.Now()
	for i := range 100000 {
		UpdateSoon("id", func() Data { return Text(fmt.Sprintf("%06d", i)) })
	}
	Flush()
	if got := last(); got != "099999" {
		t.Errorf("after Flush %s is shown", got)
	}
	mu.Lock()
	most := 2 + int(time.Since(begin)/(100*time.Millisecond))
	if len(shown) > most || shown[0] != "000000" {
		t.Errorf("%d were shown, more than %d; first %s", len(shown), most, shown[0])
	}
	for i := 1; i < len(shown); i++ {
		if shown[i] <= shown[i-1] {
			t.Errorf("%s after %s", shown[i], shown[i-1])
		}
	}
	mu.Unlock()
	UpdateSoon("id", func() Data { return Text("100000") })
	patience.Until(t, "shown: the last update, without Flush", func() bool { return last() == "100000" })
}

// TestUpdateSoonPanics checks that a panic in a delayed update is shown.
func TestUpdateSoonPanics(t *testing.T) {
	shown := make(chan string, 10)
	old := SetPublisher(func(e Event) { shown <- e.Data.Data[MIMETypeText].(string) })
	defer func() { SetPublisher(old) }()
	UpdateSoon("panics", func() Data { return Text("first") })
	UpdateSoon("panics", func() Data { panic("second") })
	UpdateSoon("other", func() Data { return Text("third") })
	got := []string{<-shown, <-shown, <-shown}
	if want := []string{"first", "third", "panic: second"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestInput(t *testing.T) {
	type question struct {
		prompt   string
		password bool
	}
	var asked []question
	old := SetInput(func(prompt string, password bool) (string, error) {
		asked = append(asked, question{prompt, password})
		return "typed", errors.New("e")
	})
	a, err := Input("name? ")
	b, _ := Password("word? ")
	SetInput(old)
	if a != "typed" || b != "typed" || err == nil || fmt.Sprint(asked) != "[{name?  false} {word?  true}]" {
		t.Errorf("%q %q %v %v", a, b, err, asked)
	}

	if runtime.GOOS == "js" {
		t.Skip("there are no pipes in a browser: the rest is not tried")
	}
	// Without a kernel, Input reads a line from the standard input, and not a byte more.
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdin, stderr := os.Stdin, os.Stderr
	os.Stdin, os.Stderr = r, nil
	defer func() { os.Stdin, os.Stderr = stdin, stderr }()
	w.WriteString("one\r\ntwo\nthree")
	w.Close()
	for i, want := range []string{"one", "two", "three"} {
		ask := []func(string) (string, error){Input, Password}[i%2]
		if got, err := ask(""); got != want || err != nil {
			t.Errorf("line %d: %q, %v", i, got, err)
		}
	}
	if _, err := Input(""); err == nil {
		t.Error("a line after the end")
	}
}
