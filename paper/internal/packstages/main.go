// Command packstages puts stages (intermediate results of experiments, each stored in a file of its own) into the
// archives of a folder that is under version control:
//
//	go run ./paper/internal/packstages paper/bradley2008/trained [FILE.mat|FILE.state ...]
//	go run ./paper/internal/packstages -unpack paper/bradley2008/trained
//	go run ./paper/internal/packstages -list paper/bradley2008/trained
//
// FILE.mat is a stage that a full run left in the user's cache (overcomplete/stages), next to FILE.mat.settings. If no
// files are given, the command packs the stages in the folder itself. A file FILE.state, which holds a trained model of
// S3C, stays a file of its own: the command writes it to the folder with all numbers rounded to single precision, which
// halves its size.
//
// With -unpack all stages become separate files again, so that some can be removed, or two versions of an archive can
// be merged: check out one version, unpack, check out the other, unpack, and pack. With -list the command prints the
// key of each stage in the archives, which says what the values in the stage's name mean.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/andybalholm/brotli"

	"overcomplete/kernel-helpers/s3c"
	"overcomplete/paper/lab"
)

func main() {
	unpack := flag.Bool("unpack", false, "make the stages files of their own")
	list := flag.Bool("list", false, "print the key of each stage")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: packstages FOLDER [FILE ...], or packstages -unpack FOLDER, or packstages -list FOLDER")
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
	var stages []string
	for _, file := range files {
		if filepath.Ext(file) != ".state" {
			stages = append(stages, file)
		} else if err := roundState(filepath.Join(folder, filepath.Base(file)), file); err != nil {
			return err
		}
	}
	if len(files) > 0 && len(stages) == 0 {
		return nil
	}
	files = stages
	if err := lab.Pack(folder, compress, files...); err != nil {
		return err
	}
	keys, err := lab.Kept(folder)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d stages\n", folder, len(keys))
	return nil
}

func compress(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w := brotli.NewWriterOptions(&b, brotli.WriterOptions{Quality: brotli.BestCompression, LGWin: 24})
	_, err := w.Write(data)
	err = errors.Join(err, w.Close())
	return b.Bytes(), err
}

// roundState reads a state of S3C from file, rounds its numbers to single precision, and writes it to the file with the
// path to.
func roundState(to, file string) error {
	s, err := s3c.LoadState(file)
	if err != nil {
		return err
	}
	m := s.Model
	d, _ := m.Dims()
	for k := range d {
		round(m.W.RawRowView(k))
	}
	for _, x := range [][]float64{m.Bias, m.Mu, m.Alpha, m.Beta, s.Use} {
		round(x)
	}
	for i := range s.History {
		r := &s.History[i]
		x := []float64{r.Seconds, r.Energy, r.H, r.Beta, r.Alpha, r.Bias}
		round(x)
		r.Seconds, r.Energy, r.H, r.Beta, r.Alpha, r.Bias = x[0], x[1], x[2], x[3], x[4], x[5]
	}
	return s.Save(to)
}

// round rounds the numbers in x to single precision, in place.
func round(x []float64) {
	for i, v := range x {
		x[i] = float64(float32(v))
	}
}
