// Pack writes the archive of the command's source, if the archive is out of date. The tag packed links the
// archive into the command. Pack runs in the root of the module.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"overcomplete/internal/atomicfile"
	"overcomplete/kernel/internal/selfsource"
)

func main() {
	if err := pack("."); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

// pack writes the archive of the checkout at root.
func pack(root string) error {
	name := filepath.Join(root, filepath.FromSlash(selfsource.Archive))
	old, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	data, same, err := selfsource.Current(os.DirFS(root), old)
	if err != nil || same {
		return err
	}
	return atomicfile.Write(name, data, 0o644)
}
