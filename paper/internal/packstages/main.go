// Command packstages puts stages that are files of their own into the archives of a folder that
// is under version control, and writes the folder's index:
//
//	go run ./paper/internal/packstages paper/bradley2008/trained [FILE.mat ...]
//
// FILE.mat is what a full run has left in the user's cache (overcomplete/stages), with
// FILE.mat.settings beside it. Without files it takes those that lie in the folder itself.
package main

import (
	"errors"
	"fmt"
	"os"

	"overcomplete/paper/lab"
)

func main() {
	if err := pack(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "packstages:", err)
		os.Exit(1)
	}
}

func pack(args []string) error {
	if len(args) == 0 {
		return errors.New("which folder? go run ./paper/internal/packstages paper/bradley2008/trained [FILE.mat ...]")
	}
	folder := args[0]
	if err := lab.Pack(folder, args[1:]...); err != nil {
		return err
	}
	keys, err := lab.Kept(folder)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d stages\n", folder, len(keys))
	return nil
}
