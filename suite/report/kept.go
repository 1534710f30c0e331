package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"overcomplete/kernel/notebook"
	"overcomplete/paper/record"
	"overcomplete/suite"
)

// keptName is the name of the file with the checksums of a site's notebook pages and of their inputs. Making these
// pages takes most of the time, so a page is copied from the old site if its notebook, its figures and the program are
// the same.
const keptName = ".overcomplete-pages"

// A keptPage identifies a page and its inputs.
type keptPage struct {
	From string `json:"from"` // checksum of the inputs
	Page string `json:"page"` // checksum of the page
}

// readKept reads a site's list of the checksums of its notebook pages, by the page's name. It returns an empty map if
// this list is missing or cannot be read.
func readKept(site string) map[string]keptPage {
	kept := map[string]keptPage{}
	b, err := os.ReadFile(filepath.Join(site, keptName))
	if err != nil || json.Unmarshal(b, &kept) != nil {
		return map[string]keptPage{}
	}
	return kept
}

// reuse returns the page with the given name from the old site. It returns nil if that page was made from other inputs
// or has been modified. The argument from is the checksum of the present inputs.
func (f *folder) reuse(name, from string) []byte {
	k, ok := f.old[name]
	if !ok || k.From != from {
		return nil
	}
	b, err := os.ReadFile(filepath.Join(f.final, filepath.FromSlash(name)))
	if err != nil || checksum(b) != k.Page { // the page was modified: write a new page
		return nil
	}
	return b
}

// writeKept writes the page b under the given name, and notes its checksum and from, the checksum of its inputs. If the
// inputs are the same next time, the page can be copied from the old site.
func (f *folder) writeKept(name, from string, b []byte) error {
	f.kept[name] = keptPage{from, checksum(b)}
	return f.write(name, b)
}

// writeList writes the list that readKept reads the next time.
func (f *folder) writeList() error {
	if len(f.kept) == 0 {
		return nil
	}
	b, err := json.MarshalIndent(f.kept, "", "\t")
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return f.write(keptName, append(b, '\n'))
}

func checksum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// picture matches references to files next to the notebook.
var picture = regexp.MustCompile(`!\[|(?i:<img|<image|<source|<video|<object|<embed)`)

// inputsSum returns a checksum of all inputs of a notebook's page. It returns an error if it cannot determine the
// inputs, for example because a Markdown cell may show a file. nb is the notebook with the links of the site added.
// signed reports whether the active content of an output was signed on this computer.
func (w *writer) inputsSum(p *paper, nb *notebook.Notebook, which string, signed func(notebook.Output) bool) (string, error) {
	program, err := suite.ProgramSum()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, c := range nb.Cells {
		if c.Type == notebook.Markdown && picture.MatchString(c.Source) {
			return "", fmt.Errorf("the cell %s may show a file", c.ID)
		}
		for _, o := range c.Outputs {
			fmt.Fprintln(h, signed(o))
		}
	}
	b, err := nb.Bytes()
	if err != nil {
		return "", err
	}
	fmt.Fprintln(h, program, p.name, which, w.options.Small, len(b))
	h.Write(b)
	// The pages to which links may lead.
	for _, o := range w.papers {
		fmt.Fprintln(h, o.name, w.has[notebookPage(o.name, "record")])
	}
	for _, name := range slices.Sorted(maps.Keys(w.sources.files)) {
		fmt.Fprintln(h, name)
	}
	// The figures that the notebook may show, with their data.
	for _, which := range []string{"record", "run"} {
		if err := hashFolder(h, w.resultFolder(p.name, which)); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// hashFolder adds the regular files in folder to the hash h, except the file results.json. The folder need not exist.
func hashFolder(h hash.Hash, folder string) error {
	list, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range list {
		if !e.Type().IsRegular() || e.Name() == record.FileName {
			continue
		}
		f, err := os.Open(filepath.Join(folder, e.Name()))
		if err != nil {
			return err
		}
		n, err := io.Copy(h, f)
		f.Close()
		if err != nil {
			return err
		}
		fmt.Fprintln(h, e.Name(), n)
	}
	return nil
}
