package crossval

// An Axis is a list of changes to options of type O, one for each value of an option.
type Axis[O any] []func(*O)

// Vary returns an Axis with one change for each of the values: set gives the option that value.
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

// Grid returns base with every combination of the changes on the axes; the last axis varies fastest. Without
// axes it returns base alone. If an axis has no values, the result is empty.
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
