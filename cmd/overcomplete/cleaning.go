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

// An htmlFilter selects the HTML of a notebook that is kept in pages and Markdown. The zero value keeps
// harmless content, and outputs that this computer has produced.
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

// sayLeft lists what was removed from a page.
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
