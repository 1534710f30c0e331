package display

import "testing"

type result struct{ n int }

func TestRegister(t *testing.T) {
	Register((*result)(nil), func(v any) Data { return HTML("<b>drawn</b>") })
	if d, ok := builtin(&result{3}); !ok || d.Data[MIMETypeHTML] != "<b>drawn</b>" {
		t.Errorf("%v", d)
	}
	for _, v := range []any{nil, 3, result{3}, (*int)(nil)} {
		if d, ok := Registered(v); ok {
			t.Errorf("%T is shown as %v", v, d)
		}
	}
	for name, f := range map[string]func(){
		"twice":       func() { Register((*result)(nil), func(any) Data { return Data{} }) },
		"no example":  func() { Register(nil, func(any) Data { return Data{} }) },
		"no function": func() { Register(3, nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}
