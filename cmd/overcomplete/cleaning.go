package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"overcomplete/kernel/export"
	"overcomplete/kernel/export/clean"
	"overcomplete/kernel/notebook"
	"overcomplete/kernel/signature"
)

// An htmlFilter decides which HTML of a notebook goes into an exported page or Markdown file. The zero value does not
// change outputs that this computer has produced. From all other content, it removes anything harmful.
type htmlFilter struct {
	trust  bool // keep everything
	always bool // keep only harmless content
}

func (c htmlFilter) options(opt export.HTMLOptions) export.HTMLOptions {
	opt.Clean, opt.Trusted = c.functions()
	return opt
}

func (c htmlFilter) markdown(opt export.MarkdownOptions) export.MarkdownOptions {
	opt.Clean, opt.Trusted = c.functions()
	return opt
}

func (c htmlFilter) functions() (with func(string) (string, []string), trusted func(notebook.Output) bool) {
	switch {
	case c.trust:
		return nil, nil
	case c.always:
		return clean.HTML, nil
	}
	return clean.HTML, signature.ForUser().Signed
}

// sayLeft prints to standard error what was left out of the page for the notebook at path.
func sayLeft(path string, left []string) {
	if len(left) == 0 {
		return
	}
	names := make([]string, len(left))
	for i, name := range left {
		names[i] = fmt.Sprintf("%q", name) // the name comes from an untrusted notebook
	}
	fmt.Fprintf(os.Stderr, "%s: left out of the page because it could harm the reader: %s; --trust keeps it\n", filepath.Base(path), strings.Join(names, ", "))
}
