package memory

import "overcomplete/internal/ram"

// SetLimit sets how many bytes one call may take by itself, besides its arguments, and returns the setting
// before. 0, the setting at the start, means half of the memory that the process may use: the smaller of the
// machine's memory and the limit of its control group. These are known on Linux only; elsewhere 0 means no
// limit. A negative number means no limit.
func SetLimit(bytes int64) (before int64) { return ram.SetLimit(bytes) }
