//go:build !unix && !windows && !js

package capture

import "os"

// empty returns false, because it cannot inspect a pipe on this system. So a Stdin never requests a line on
// this system.
func empty(*os.File) bool { return false }

func drain(*os.File) {}
