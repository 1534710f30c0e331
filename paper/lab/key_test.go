package lab

import "testing"

func TestKey(t *testing.T) {
	data := NewSettings("data", "generated", "digits", 300)
	k := NewKey("table2-kl", "size", "full", data, "lambda", 1e-5, "prior", "KL").With("part", "head")
	if want := Key("table2-kl size=full data=generated digits=300 lambda=1e-05 prior=kl part=head"); k != want {
		t.Errorf("%q, want %q", k, want)
	}
	if want := "table2-kl-full-generated-300-1e-05-kl-head"; k.Name() != want {
		t.Errorf("the name %q, want %q", k.Name(), want)
	}
	if again, err := parseKey(" " + string(k) + "\n"); again != k || err != nil {
		t.Errorf("read as %q, %v", again, err)
	}
	if bare := NewKey("letters-search"); bare != "letters-search" || bare.Name() != "letters-search" {
		t.Errorf("%q, the name %q", bare, bare.Name())
	}
	if s := NewSettings(); s != "" || NewKey("x", s) != "x" || NewSettings(s, data, s) != data {
		t.Errorf("no settings: %q, %q, %q", s, NewKey("x", s), NewSettings(s, data, s))
	}
	for _, line := range []string{"", "a=b", "Search", "search λ=1", "search p", "search p=", "search p=a/b", "search p=.."} {
		if k, err := parseKey(line); err == nil {
			t.Errorf("%q was read as %q", line, k)
		}
	}
	for _, settings := range [][]any{{"p"}, {"p", "a b"}, {"p", "../x"}, {"p", ""}, {"P", 1}, {1, "p"}, {"a=b", 1}} {
		func() {
			defer func() { _ = recover() }()
			t.Errorf("%v became %q", settings, NewSettings(settings...))
		}()
	}
}
