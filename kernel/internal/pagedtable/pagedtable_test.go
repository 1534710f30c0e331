package pagedtable

import "testing"

func TestValid(t *testing.T) {
	for text, want := range map[string]bool{
		`{"rows":2,"all":9,"unit":" rows","cols":[{"v":["a"],"k":1,"i":[0,0]},{"v":null,"k":0,"i":null}]}`: true,
		`{"rows":2,"cols":[{"v":["a"],"k":1,"i":[0]}]}`:                                                    false, // a row without a value
		`{"rows":1,"cols":[{"v":["a"],"k":1,"i":[1]}]}`:                                                    false, // an index out of range
		`{"rows":1,"cols":[{"v":["<b>"],"k":1,"i":[0]}]}`:                                                  false,
		`{"rows":1001,"cols":[]}`:                                                                          false,
		`{"rows":-1,"cols":[]}`:                                                                            false,
		`{"rows":1,"cols":[{"v":["a"],"k":1,"i":[0]}]};f()`:                                                false,
	} {
		if got := Valid(text); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
