package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"overcomplete/kernel/live"
	"overcomplete/kernel/live/node"
	"overcomplete/kernel/notebook"
	"overcomplete/suite/regress"
)

// liveProgram builds the kernel for browsers. It returns the files with which node can run that kernel, and a function
// that removes these files.
func liveProgram(ctx context.Context) (p *node.Program, done func(), err error) {
	site, err := os.MkdirTemp("", "overcomplete-check-live-")
	done = func() { os.RemoveAll(site) }
	if err != nil {
		return nil, done, err
	}
	b := live.Builder{Version: releaseVersion(), Quality: live.Fast, Say: func(s string) { fmt.Fprintln(os.Stderr, s+" …") }}
	set, err := live.Named("full")
	if err != nil {
		return nil, done, err
	}
	k, err := b.Kernel(ctx, set)
	if err != nil {
		return nil, done, err
	}
	f, err := live.Write(ctx, site, k, live.Options{BrotliOnly: true})
	if err != nil {
		return nil, done, err
	}
	return &node.Program{Kernel: filepath.Join(site, f.Kernel+".br"), Worker: filepath.Join(site, f.Worker)}, done, nil
}

// runLive is like run, but the notebook runs in the kernel for browsers, under node.
func (c *checker) runLive(ctx context.Context, path, size string) (root string, done func(), err error) {
	root, err = os.MkdirTemp("", "overcomplete-check-")
	done = func() { os.RemoveAll(root) }
	if err != nil {
		return root, done, err
	}
	if err := c.copyProject(root, path); err != nil {
		return root, done, err
	}
	nb, err := notebook.Read(path)
	if err != nil {
		return root, done, err
	}
	text, set, err := live.ForBrowser(nb, size)
	if err != nil {
		return root, done, err
	}
	if set != size {
		return root, done, fmt.Errorf("%s has no parameter named size", shortPath(path))
	}
	if nb, err = notebook.Parse(text); err != nil {
		return root, done, err
	}
	var cells []*notebook.Cell
	for _, cell := range nb.Cells {
		if cell.Type == notebook.Code && !cell.Tagged("skip-execution") {
			cells = append(cells, cell)
		}
	}
	_, err = node.Run(ctx, *c.live, root, cells)
	return root, done, err
}

// compareLive is like regress.Compare, but does not compare the content of figures, which only have to exist. It is
// for results from the kernel for browsers, whose floating-point arithmetic differs from this machine's. The function
// overwrites the figures of its first argument.
func compareLive(now, want *regress.Snapshot) []string {
	for name, figure := range want.Figures {
		if _, ok := now.Figures[name]; ok {
			now.Figures[name] = figure
		}
	}
	return regress.Compare(now, want)
}
