// Package must turns errors of libraries into panics, which is how the experiments of
// papers report them. It is not a part of package lab because cells can import that
// one, and such packages have no generic functions.
package must

// Get returns v, or panics with err if it is not nil.
func Get[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
