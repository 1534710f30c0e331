package lectureattention

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzText(f *testing.F) {
	f.Add(Rhyme)
	f.Add("ab")
	f.Add("\xff\xfe")
	f.Fuzz(func(t *testing.T, s string) {
		text, err := NewText(s)
		if err != nil {
			return
		}
		if got := text.Decode(text.Tokens); utf8.ValidString(s) && got != s {
			t.Errorf("%q became %q", s, got)
		}
		if n := len(text.Tokens) - 1; n >= 1 {
			b := text.Batch(2, n, 1, 1)
			if len(b.Inputs) != 2 || len(b.Targets[1]) != n {
				t.Errorf("batch %v", b)
			}
		}
	})
}

func TestText(t *testing.T) {
	text, err := NewText(Rhyme)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := text.Encode("HOUSE"); err == nil {
		t.Error("a letter that is not there")
	}
	b := text.Batch(5, 12, 1, 7)
	for i := range b.Inputs {
		in, out := text.Decode(b.Inputs[i]), text.Decode(b.Targets[i])
		if in[1:] != out[:11] || !strings.Contains(Rhyme, in+out[11:]) {
			t.Errorf("%q, %q", in, out)
		}
	}
	if _, err := NewText("aaa"); err == nil {
		t.Error("a text of one letter")
	}
}
