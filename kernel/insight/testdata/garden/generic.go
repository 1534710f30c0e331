package garden

// A Row holds things side by side.
type Row[T any] struct {
	Items []T
}

// At returns one of them.
func (r Row[T]) At(i int) T { return r.Items[i] }

// Each maps f over a row.
func Each[T, U any](r Row[T], f func(T) U) Row[U] {
	var out Row[U]
	for _, x := range r.Items {
		out.Items = append(out.Items, f(x))
	}
	return out
}
