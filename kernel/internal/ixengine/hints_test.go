package ixengine

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"overcomplete/kernel/engine"
)

// TestPatternHint: registering two handlers for one pattern with the same mux panics, and the hint says to make
// a new mux.
func TestPatternHint(t *testing.T) {
	defer func() {
		msg, _ := recover().(error)
		if text := panicText(msg); !strings.Contains(panicHint(text), "http.NewServeMux()") {
			t.Errorf("%q has the hint %q", text, panicHint(text))
		}
	}()
	mux := http.NewServeMux()
	for range 2 {
		mux.HandleFunc("/hello", func(http.ResponseWriter, *http.Request) {})
	}
}

// TestWordsInText: words in a string or a comment give no hint.
func TestWordsInText(t *testing.T) {
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for src, want := range map[string]string{
		`import "fmt"; fmt.Println("this or that in there", 1 2)`: "separate arguments by commas",
		"x := 3 4 // this or that":                                "",
		"y := 3 4 + \"range(5) or not in lambda\"":                "",
		`ok := "a \" in" in s`:                                    "strings.Contains",
		`if a or b { }`:                                           "&&, || and !",
	} {
		_, err := s.Run(context.Background(), engine.Cell{Name: "In[1]", Source: src})
		e, ok := err.(*engine.Error)
		if !ok || e.Kind != engine.Syntax || want == "" && e.Hints[0] != "" || !strings.Contains(e.Hints[0], want) {
			t.Errorf("%s: %v has the hint %v", src, err, e)
		}
	}
}

// TestHiddenName: Forget removes a variable that shadows a type, and after that no hint mentions it.
func TestHiddenName(t *testing.T) {
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	do := func(n, src string) string {
		if _, err := s.Run(context.Background(), engine.Cell{Name: n, Source: src}); err != nil {
			return strings.Join(err.(*engine.Error).Traceback(), "\n")
		}
		return ""
	}
	const use = `func f(b []byte) string { return "" }`
	if got := do("In[1]", `string := "abc"`); got != "" {
		t.Fatal(got)
	}
	if got := do("In[2]", use); !strings.Contains(got, "hint: string has been a variable since In[1]; %reset string") {
		t.Error(got)
	}
	if err := s.Forget("string"); err != nil {
		t.Fatal(err)
	}
	if got := do("In[3]", use); got != "" {
		t.Error(got)
	}
}

// TestLabels: Python's try: parses as a label. A cell must not run the blocks after it.
func TestLabels(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, "ran := 0")
	for src, want := range map[string]string{
		"try:\n\tran = 1\nexcept:\n\tran = 2":                 "recover()",
		"func f() {\ntry:\n\tran = 1\nfinally:\n\tran = 2\n}": "recover()",
		"try:\n\tran = 1\nexcept ValueError:\n\tran = 2":      "errors are values",
		"again:\n\tran = 1":                                   "is a label",
	} {
		_, err := s.Run(context.Background(), engine.Cell{Name: "In[1]", Source: src})
		if e, ok := err.(*engine.Error); !ok || !strings.Contains(strings.Join(e.Hints, " "), want) {
			t.Errorf("%s: %v", src, err)
		}
	}
	if got := run(t, s, "unused := 1\nagain:\n\tfor { break again }\nran")[0].Value; got != 0 {
		t.Errorf("ran is %v", got)
	}
}
