package mathml_test

import (
	"errors"
	"fmt"

	"overcomplete/kernel/export/mathml"
)

func ExampleConvert() {
	f, err := mathml.Convert(`x_i^2`, false)
	fmt.Println(f.MathML, err)
	_, err = mathml.Convert(`\nosuch x`, false)
	var unknown *mathml.UnknownError
	fmt.Println(errors.As(err, &unknown), err)
	// Output:
	// <math><msubsup><mrow><mi>x</mi></mrow><mrow><mi>i</mi></mrow><mrow><mn>2</mn></mrow></msubsup></math> <nil>
	// true mathml: unknown command \nosuch
}
