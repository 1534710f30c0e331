package memory

import "overcomplete/internal/ram"

// SetLimit sets how many bytes one call may take besides its arguments, and returns the previous setting. 0, the
// initial setting, means half of the memory that the process may use. The process may use the machine's memory or the
// limit of its control group, whichever is smaller. These are known only on Linux; elsewhere 0 means no limit. A
// negative number means no limit.
func SetLimit(bytes int64) (before int64) { return ram.SetLimit(bytes) }
