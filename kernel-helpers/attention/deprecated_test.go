package attention

import (
	"reflect"
	"testing"
)

// TestDeprecated checks that Train does what Fit does.
func TestDeprecated(t *testing.T) {
	task := Task{Kind: Copy, Digits: 2, Symbols: 3}
	run := func(train func(Model) (*FitResult, error)) *FitResult {
		m, err := NewTransformer(Config{Vocabulary: task.Vocabulary(), Width: 8, Heads: 2, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		r, err := train(m)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	draw := func(step int) Batch { return task.Batch(4, 1, step) }
	was := run(func(m Model) (*TrainResult, error) { return Train(t.Context(), m, draw, &TrainOptions{Steps: 3}) })
	is := run(func(m Model) (*FitResult, error) { return Fit(t.Context(), m, draw, &FitOptions{Steps: 3}) })
	if !reflect.DeepEqual(was, is) {
		t.Errorf("%v, and by the old name %v", is, was)
	}
}
