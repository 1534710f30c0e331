// Pack writes the archive of the command's source, if the archive is out of date. A build with the tag packed links
// the archive into the command. Pack must run in the root of the module. With the flag -smallest, which is for
// releases, it compresses as well as possible; that takes half a minute instead of half a second.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"overcomplete/internal/atomicfile"
	"overcomplete/kernel/internal/selfsource"
)

func main() {
	smallest := flag.Bool("smallest", false, "compress as well as possible")
	flag.Parse()
	quality := selfsource.Quick
	if *smallest {
		quality = selfsource.Smallest
	}
	if err := pack(".", quality); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

// pack writes the archive of the checkout at root.
func pack(root string, quality int) error {
	name := filepath.Join(root, filepath.FromSlash(selfsource.Archive))
	old, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	data, same, err := selfsource.Current(os.DirFS(root), old, quality)
	if err != nil || same {
		return err
	}
	return atomicfile.Write(name, data, 0o644)
}
