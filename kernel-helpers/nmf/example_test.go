package nmf_test

import (
	"context"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/nmf"
	"overcomplete/kernel-helpers/wordcount"
)

// This example finds the topics of documents from word counts, with the KL loss.
func ExampleFit() {
	var docs [][]string
	for _, s := range []string{
		"ball goal team ball", "team goal match", "goal ball match team",
		"vote party law", "law vote vote party", "party law minister vote",
		"team vote goal law",
	} {
		docs = append(docs, strings.Fields(s))
	}
	v, err := wordcount.Fit(context.Background(), docs, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := nmf.Fit(context.Background(), v.Transform(docs), &nmf.Options{
		Components: 2, Method: nmf.Multiplicative, Loss: nmf.KL,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, i := range []int{0, 3} { // the topic of a document
		topic := r.RowClusters()[i]
		var words []string
		for _, j := range r.Top(topic, 3) {
			words = append(words, v.Words[j])
		}
		fmt.Println(docs[i], "is about", words)
	}
	// Output:
	// [ball goal team ball] is about [goal team ball]
	// [vote party law] is about [vote law party]
}

// The same counts, without ever storing the zeros.
func ExampleFromTriplets() {
	docs := [][]string{{"a", "b", "a"}, {"c"}, {"b", "c", "c", "c"}}
	v, err := wordcount.Fit(context.Background(), docs, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	var row, col []int
	var one []float64
	for i, doc := range docs {
		for _, w := range doc {
			if j := v.Place(w); j >= 0 {
				row, col, one = append(row, i), append(col, j), append(one, 1)
			}
		}
	}
	A, err := nmf.FromTriplets(len(docs), len(v.Words), row, col, one)
	fmt.Println(A, err, mat.Equal(A, v.Transform(docs)))
	// Output:
	// sparse 3×3, 5 nonzeros <nil> true
}

// Rows and columns of a block matrix are clustered together.
func ExampleModel_RowClusters() {
	A := mat.NewDense(4, 5, []float64{
		0, 3, 0, 3, 3,
		2, 0, 2, 0, 0,
		0, 4, 0, 4, 4,
		5, 0, 5, 0, 0,
	})
	r, err := nmf.Fit(context.Background(), A, &nmf.Options{Components: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("rows   ", r.RowClusters())
	fmt.Println("columns", r.ColumnClusters())
	// Output:
	// rows    [0 1 0 1]
	// columns [1 0 1 0 0]
}
