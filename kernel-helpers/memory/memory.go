package memory

import "overcomplete/internal/ram"

// SetLimit sets how many bytes one call may take besides its arguments, and returns the previous setting. 0,
// the initial setting, means half of the memory that the process may use, which is the smaller of the
// machine's memory and the limit of its control group. These are known only on Linux; elsewhere 0 means no
// limit. A negative number means no limit.
func SetLimit(bytes int64) (before int64) { return ram.SetLimit(bytes) }
