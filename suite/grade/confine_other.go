//go:build !linux

package grade

import "os"

// confine limits nothing on this system, and says so.
func confine(r request) (free []string, err error) {
	return []string{"memory", "files outside of the folder", "the network", "other processes"}, os.Chdir(r.Folder)
}
