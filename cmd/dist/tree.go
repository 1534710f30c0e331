package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// An entry is a file of an archive.
type entry struct {
	name       string // with slashes, relative to the archive's folder
	path       string // path on disk; if empty, data has the content
	data       []byte
	executable bool
}

// content returns the content of the file.
func (e entry) content() ([]byte, error) {
	if e.path == "" {
		return e.data, nil
	}
	return os.ReadFile(e.path)
}

// trackedFiles lists the files that git tracks in the project, except those whose path begins with a dot, which are of
// use only in a repository. An archive contains all of them, because the program uses most: the notebooks and the
// record of their results, the intermediate results that were learned at full size (paper/*/trained), the expected
// results (suite/regress), and the source. The program reads the source to determine which results still hold, and the
// report links to it.
func trackedFiles(ctx context.Context, root string) ([]entry, error) {
	out, err := command(ctx, root, os.Environ(), "git", "ls-files", "--stage", "-z")
	if err != nil {
		return nil, fmt.Errorf("archives can be made only in a clone, because they contain the files that git lists: %w", err)
	}
	var list []entry
	for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		// mode, hash, stage, a tab and the name
		head, name, ok := strings.Cut(line, "\t")
		mode, _, _ := strings.Cut(head, " ")
		switch {
		case !ok || !strings.HasSuffix(head, " 0"):
			return nil, fmt.Errorf("git lists %q, which is not merged: finish the merge first", line)
		case strings.HasPrefix(name, "."):
			continue
		case mode != "100644" && mode != "100755":
			return nil, fmt.Errorf("%s is not a regular file (mode %s), and not every system can unpack it", name, mode)
		}
		list = append(list, entry{name: name, path: filepath.Join(root, filepath.FromSlash(name)), executable: mode == "100755"})
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("git lists no files in %s", root)
	}
	return list, nil
}
