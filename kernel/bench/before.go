package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// earlierKernel returns the path of the earlier kernel's program. name is the value of -before: the path of a program,
// or a commit. For a commit, earlierKernel builds the program in a temporary folder; a call to tidy() removes the
// folder.
func earlierKernel(name string) (program string, tidy func(), err error) {
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		program, err := filepath.Abs(name)
		return program, func() {}, err
	}
	dir, err := os.MkdirTemp("", "before")
	if err != nil {
		return "", nil, err
	}
	source := filepath.Join(dir, "source")
	tidy = func() {
		command("", "git", "worktree", "remove", "--force", source)
		os.RemoveAll(dir)
	}
	program = filepath.Join(source, "bin", "overcomplete")
	err = command("", "git", "worktree", "add", "--quiet", "--detach", source, name)
	if err == nil {
		err = command(source, "make", "build") // with that commit's own Makefile
	}
	if err != nil {
		tidy()
		return "", nil, fmt.Errorf("-before %s is neither a program nor a commit that builds: %w", name, err)
	}
	return program, tidy, nil
}

func command(dir, name string, args ...string) error {
	c := exec.Command(name, args...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%.1000s", name, args[0], err, out)
	}
	return nil
}

// remember fills in the missing Before fields of the results of this run. It computes them from the Cell fields in the
// results of an earlier run. Results with the same name and size belong together.
//
// An earlier time is multiplied by the ratio of compiled Go's time in this run to its time in the earlier run. If Go
// was not measured, CPython's times take the place of Go's. Memory and waiting times are copied without scaling.
func remember(now, then []Result) {
	old := map[string]Result{}
	for _, r := range then {
		old[r.Name] = r
	}
	for i := range now {
		r, o := &now[i], old[now[i].Name]
		if r.Before > 0 || o.Cell == 0 || r.Size != o.Size {
			continue
		}
		switch {
		case r.Unit == "MB", r.goal.most > 0 && r.Go == 0 && r.Python == 0: // memory and waiting times are not scaled
			r.Before = o.Cell
		case r.Go > 0 && o.Go > 0:
			r.Before = o.Cell * r.Go / o.Go
		case r.Python > 0 && o.Python > 0:
			r.Before = o.Cell * r.Python / o.Python
		}
	}
}
