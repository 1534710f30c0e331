// Command packstages puts stages (intermediate results of experiments, each stored in a file of its own) into the
// archives of a folder that is under version control:
//
//	go run ./paper/internal/packstages paper/bradley2008/trained [FILE.mat ...]
//	go run ./paper/internal/packstages -unpack paper/bradley2008/trained
//	go run ./paper/internal/packstages -list paper/bradley2008/trained
//
// FILE.mat is a stage that a full run left in the user's cache (overcomplete/stages), next to FILE.mat.settings. If no
// files are given, the command packs the stages in the folder itself.
//
// With -unpack all stages become separate files again, so that some can be removed, or two versions of an archive can
// be merged: check out one version, unpack, check out the other, unpack, and pack. With -list the command prints the
// key of each stage in the archives, which says what the values in the stage's name mean.
package main

import (
	"flag"
	"fmt"
	"os"

	"overcomplete/paper/lab"
)

func main() {
	unpack := flag.Bool("unpack", false, "make the stages files of their own")
	list := flag.Bool("list", false, "print the key of each stage")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: packstages FOLDER [FILE.mat ...], or packstages -unpack FOLDER, or packstages -list FOLDER")
	}
	flag.Parse()
	if flag.NArg() == 0 || (*unpack || *list) && flag.NArg() > 1 || *unpack && *list {
		flag.Usage()
		os.Exit(2)
	}
	folder, files := flag.Arg(0), flag.Args()[1:]
	var err error
	switch {
	case *unpack:
		err = lab.Unpack(folder)
	case *list:
		err = printKeys(folder)
	default:
		err = pack(folder, files)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "packstages:", err)
		os.Exit(1)
	}
}

func printKeys(folder string) error {
	keys, err := lab.Kept(folder)
	for _, k := range keys {
		fmt.Println(k)
	}
	return err
}

func pack(folder string, files []string) error {
	if err := lab.Pack(folder, files...); err != nil {
		return err
	}
	keys, err := lab.Kept(folder)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d stages\n", folder, len(keys))
	return nil
}
