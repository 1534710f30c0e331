package rt

import (
	"slices"
	"strings"
	"testing"
)

var texts = []string{
	"", "a", "abc", "äöü", "日本語", "a\xffb", "\xe6\x97", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\x80", "🙂x",
	"\u0000", "\uFFFD", strings.Repeat("long ", 100), strings.Repeat("日", 33),
}

func TestRune(t *testing.T) {
	for _, s := range texts {
		type step struct {
			at int
			r  rune
		}
		var got, want []step
		for i, r := range s {
			want = append(want, step{i, r})
		}
		for i := 0; i < len(s); {
			r, next := Rune(s, i)
			got = append(got, step{i, r})
			i = next
		}
		if !slices.Equal(got, want) {
			t.Errorf("range over %q: %v, want %v", s, got, want)
		}
	}
}

func TestStrings(t *testing.T) {
	for _, a := range texts {
		if data, n := StringLeaves(a); String(data, n) != a {
			t.Errorf("the leaves of %q are of %q", a, String(data, n))
		}
		data, n, c := BytesOfString(a)
		b := whole[byte](data, n, c)
		if string(b) != a || StringOfBytes(data, n) != a {
			t.Errorf("the bytes of %q are %q", a, b)
		}
		data, n, c = RunesOfString(a)
		r := whole[rune](data, n, c)
		if !slices.Equal(r, []rune(a)) || StringOfRunes(data, n) != string(r) {
			t.Errorf("the runes of %q are %q", a, r)
		}
		// The result's bytes are a copy.
		kept := strings.Clone(a)
		for i := range b {
			b[i]++
		}
		if a != kept {
			t.Errorf("changing the bytes of %q has changed it to %q", kept, a)
		}
	}
	for _, r := range []int64{0, 'x', 'ä', 0xd800, 0x10ffff, 0x110000, -1, 1 << 40, -1 << 63} {
		if got := StringOfRune(r); got != string(rune(min(max(r, -1), 0x110000))) {
			t.Errorf("the string of %#x is %q", r, got)
		}
	}
}
