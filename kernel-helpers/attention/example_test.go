package attention_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/attention"
)

// Three words are represented by unit vectors. Their queries, keys and values are multiples of the vectors themselves,
// so each word attends mostly to itself.
func ExampleSelfAttention() {
	W := mat.NewDense(3, 3, []float64{2, 0, 0, 0, 2, 0, 0, 0, 2})
	H := mat.NewDense(3, 3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1})
	out, err := attention.SelfAttention(H, attention.Head{Wq: W, Wk: W, Wv: W}, &attention.Options{Causal: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f\n", mat.Formatted(out.Alpha))
	// Output:
	// ⎡1.000  0.000  0.000⎤
	// ⎢0.018  0.982  0.000⎥
	// ⎣0.018  0.018  0.965⎦
}

// A small Transformer learns to write sequences backwards.
func ExampleTrain() {
	task := attention.Task{Kind: attention.Reverse, Digits: 4, Symbols: 5}
	m, err := attention.NewTransformer(attention.Config{Vocabulary: task.Vocabulary(), Width: 16, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	draw := func(step int) attention.Batch { return task.Batch(16, 1, step) }
	if _, err := attention.Fit(context.Background(), m, draw, &attention.FitOptions{Steps: 300, Rate: 0.01}); err != nil {
		fmt.Println(err)
		return
	}
	answer, err := attention.Continue(m, [][]int{{0, 4, 2, 2, 5}}, 4) // 5 is the separator
	fmt.Println(answer, err)
	// Output: [[2 2 4 0]] <nil>
}
