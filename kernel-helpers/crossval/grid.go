package crossval

// An Axis is a list of alternative changes to a value of type O, which holds options. Usually, all changes set the
// same option, each to another value.
type Axis[O any] []func(*O)

// Vary returns an Axis with one change for each v in values: the change calls set(o, v), which should set one option
// of o to v.
func Vary[O, V any](set func(o *O, v V), values ...V) Axis[O] {
	if set == nil {
		panic("crossval: Vary: set is nil")
	}
	var axis Axis[O]
	for _, v := range values {
		axis = append(axis, func(o *O) { set(o, v) })
	}
	return axis
}

// Grid returns copies of base, one for each combination of the changes on the axes, with these changes made. The last
// axis varies fastest. Without axes the result is base alone. If an axis has no values, the result is empty.
func Grid[O any](base O, axes ...Axis[O]) []O {
	grid := []O{base}
	for _, axis := range axes {
		var next []O
		for _, o := range grid {
			for _, change := range axis {
				changed := o
				change(&changed)
				next = append(next, changed)
			}
		}
		grid = next
	}
	return grid
}
