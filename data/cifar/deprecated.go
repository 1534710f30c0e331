package cifar

import "gonum.org/v1/gonum/mat"

// Grey is the old name of Gray.
//
// Deprecated: use Gray.
func (s *Images) Grey(images []int) *mat.Dense { return s.Gray(images) }
