package kmeans

// An Optional is an *Options. For one version it may also be an Options.
//
// Deprecated: use *Options.
type Optional interface{ options() *Options }

func (o Options) options() *Options { return &o }

// chosen returns the options in o, nil if there are none.
func chosen(o Optional) *Options {
	switch o := o.(type) {
	case nil:
		return nil
	case *Options:
		return o
	}
	return o.options()
}

// Result is the old name of Model.
//
// Deprecated: use Model.
type Result = Model

// NormalisedInformation does what NormalizedInformation does.
//
// Deprecated: use NormalizedInformation.
func NormalisedInformation(x, y []int) float64 { return NormalizedInformation(x, y) }
