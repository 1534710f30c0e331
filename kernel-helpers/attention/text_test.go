package attention

import "testing"

func TestStrings(t *testing.T) {
	H := random(1, 3, 4)
	out, err := SelfAttention(H, NewHead(4, 2, 2, 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := out.String(); got != "attention: A is 3×2, Alpha is 3×3" {
		t.Error(got)
	}
	if got := (&Output{}).String(); got != "attention: A is missing, Alpha is missing" {
		t.Error(got)
	}
	many, err := MultiHead(H, NewHeads(2, 4, 1), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := many.String(); got != "attention: Y is 3×4, A is 3×4, weights of 2 heads" {
		t.Error(got)
	}
}
