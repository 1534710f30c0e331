package tape

// Optimiser is the old name of Optimizer.
//
// Deprecated: use Optimizer.
type Optimiser = Optimizer
