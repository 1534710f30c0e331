// Package must turns the errors of libraries into panics, as the experiments of papers
// report them. It is no part of package lab because cells can import that one: such
// packages have no generic functions.
package must

// Get is v, and a panic with err unless it is nil.
func Get[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
