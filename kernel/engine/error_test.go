package engine

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestFaults: a fault that occurs in several places is shown once, followed by the lines of the other places.
func TestFaults(t *testing.T) {
	e := &Error{Kind: Type, Message: "undefined: xs",
		Frames: []Frame{{"In[1]", "", 1, 1, "xs"}, {"In[1]", "", 2, 3, "  ys"}, {"In[1]", "", 2, 1, "xs"}, {"In[1]", "", 3, 1, "xs"}, {"In[1]", "", 3, 4, "xs xs"}, {"In[2]", "", 9, 1, "xs"}},
		Faults: []string{"undefined: xs", "undefined: ys", "undefined: xs", "undefined: xs", "undefined: xs", "undefined: xs"},
		Hints:  []string{"look", "", "look", "look", "look", ""},
	}
	want := `TypeError: In[1] line 1: undefined: xs
    xs
    ^
  and 3 more on lines 2 and 3
  hint: look
TypeError: In[1] line 2: undefined: ys
      ys
      ^
TypeError: In[2] line 9: undefined: xs
    xs
    ^`
	if got := strings.Join(e.Traceback(), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestANSI: each part of a traceback has its color, and without the colors the text equals Traceback's.
func TestANSI(t *testing.T) {
	plain := strings.NewReplacer("\x1b[1;31m", "", "\x1b[32m", "", "\x1b[36m", "", "\x1b[0m", "")
	for _, e := range []*Error{
		{Kind: Panic, Message: "boom", Frames: []Frame{{Cell: "In[1]", Line: 2, Source: "panic(1)", Func: "f"}}, Hints: []string{"do not"}},
		{Kind: Syntax, Message: "no", Frames: []Frame{{"In[1]", "", 1, 2, "a b"}}, Faults: []string{"no"}, Hints: []string{"yes"}},
		{Kind: Exit, Message: "gone"}, {Kind: Type, Message: "no place"},
	} {
		got := strings.Join(e.ANSI(), "\n")
		if !strings.HasPrefix(got, "\x1b[1;31m"+string(e.Kind)+"\x1b[0m: ") {
			t.Errorf("%q", got)
		}
		if len(e.Frames) > 0 && (!strings.Contains(got, "\x1b[32mline ") || !strings.Contains(got, "\x1b[36mhint:")) {
			t.Errorf("%q", got)
		}
		if want := strings.Join(e.Traceback(), "\n"); plain.Replace(got) != want {
			t.Errorf("%q without colours is %q, want %q", got, plain.Replace(got), want)
		}
	}
}

// TestWindow: a long line is cut to the part around the marked column.
func TestWindow(t *testing.T) {
	long := strings.Repeat("é", 300) + "X" + strings.Repeat("z", 300)
	for _, c := range []struct {
		line string
		col  int
	}{
		{"short X", 7}, {strings.Repeat("a", 99) + "X", 100}, {"X" + strings.Repeat("a", 500), 1},
		{strings.Repeat("a", 79) + "X" + strings.Repeat("b", 100), 80}, {strings.Repeat("a", 500) + "X", 501}, {long, 601},
	} {
		text, col := window(c.line, c.col)
		if n := utf8.RuneCountInString(text); n > lineWidth+2 {
			t.Errorf("%.10q is %d long", c.line, n)
		}
		if !utf8.ValidString(text) || col < 1 || col > len(text) || text[col-1] != 'X' {
			t.Errorf("%.10q, column %d: %q, %d", c.line, c.col, text, col)
		}
	}
	if text, col := window(long, 0); col != 0 || !strings.HasPrefix(text, "éé") || !strings.HasSuffix(text, "é…") {
		t.Errorf("without a column: %q, %d", text, col)
	}
	if _, col := window(long, 10000); col <= len(long) {
		t.Error("a column behind the line")
	}
}
