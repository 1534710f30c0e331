package kmeans

// Result is the old name of Model.
//
// Deprecated: use Model.
type Result = Model

// NormalisedInformation does what NormalizedInformation does.
//
// Deprecated: use NormalizedInformation.
func NormalisedInformation(x, y []int) float64 { return NormalizedInformation(x, y) }
