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
	name       string // with slashes, below the archive's folder
	path       string // where it is; empty: data has it
	data       []byte
	executable bool
}

// content reads the file.
func (e entry) content() ([]byte, error) {
	if e.path == "" {
		return e.data, nil
	}
	return os.ReadFile(e.path)
}

// tracked lists the files of the project that git knows, but for those that only a
// repository needs: whatever begins with a point. An archive has them all, because
// the program makes use of most: notebooks and the record of course, what was learned at full
// size (paper/*/trained), what is expected (suite/regress), and the source, by which it
// knows which results still hold and to which the report leads.
//
// What lies in the folder and is not known to git is in no archive.
func tracked(ctx context.Context, root string) ([]entry, error) {
	out, err := command(ctx, root, os.Environ(), "git", "ls-files", "--stage", "-z")
	if err != nil {
		return nil, fmt.Errorf("archives are made from a clone, by git's list of files: %w", err)
	}
	var list []entry
	for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		// mode, hash, stage, a tab and the name
		head, name, ok := strings.Cut(line, "\t")
		mode, _, _ := strings.Cut(head, " ")
		switch {
		case !ok || !strings.HasSuffix(head, " 0"):
			return nil, fmt.Errorf("git has %q in its list: end the merge first", line)
		case strings.HasPrefix(name, "."):
			continue
		case mode != "100644" && mode != "100755":
			return nil, fmt.Errorf("%s is not a regular file (mode %s), and not every system can unpack it", name, mode)
		}
		list = append(list, entry{name: name, path: filepath.Join(root, filepath.FromSlash(name)), executable: mode == "100755"})
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("git knows no files in %s", root)
	}
	return list, nil
}
