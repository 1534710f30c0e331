package audit

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// A tree provides the files of the project in one commit or in the working tree.
type tree struct {
	root string
	rev  string // "" for the working tree
	ctx  context.Context
}

// git runs git and returns what it prints.
func (t *tree) git(stdin io.Reader, args ...string) ([]byte, error) {
	c := exec.CommandContext(t.ctx, "git", args...)
	c.Dir, c.Stdin = t.root, stdin
	c.Env = append(os.Environ(), "LC_ALL=C")
	var complaint bytes.Buffer
	c.Stderr = &complaint
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("audit: git %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(complaint.String()))
	}
	return out, nil
}

// read returns a file's content.
func (t *tree) read(file string) ([]byte, error) {
	if t.rev == "" {
		return os.ReadFile(filepath.Join(t.root, filepath.FromSlash(file)))
	}
	return t.git(nil, "cat-file", "blob", t.rev+":"+file)
}

// folders returns the names of the folders directly inside the given folder.
func (t *tree) folders(in string) ([]string, error) {
	var names []string
	if t.rev == "" {
		list, err := os.ReadDir(filepath.Join(t.root, filepath.FromSlash(in)))
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			if e.IsDir() {
				names = append(names, e.Name())
			}
		}
		return names, nil
	}
	out, err := t.git(nil, "ls-tree", "-d", "--name-only", t.rev, in+"/")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(out)) {
		names = append(names, path.Base(strings.TrimSpace(line)))
	}
	return names, nil
}

// A version is a file's content in one commit.
type version struct {
	commit string // "" for the working tree
	day    string // the commit's date in UTC, 2006-01-02
	at     int64  // the commit's time; the working tree is later than all commits
	text   []byte
}

// versions returns the contents that a file has had in the commits up to the tree's commit, oldest first. If the tree
// is the working tree, the file's content there comes last, unless it is the same as in the last commit.
func (t *tree) versions(file string) ([]version, error) {
	rev := t.rev
	if rev == "" {
		rev = "HEAD"
	}
	out, err := t.git(nil, "rev-list", "--reverse", "--topo-order", "--timestamp", rev, "--", file)
	if err != nil {
		return nil, err
	}
	var list []version
	var ask bytes.Buffer
	for line := range strings.Lines(string(out)) {
		seconds, commit, ok := strings.Cut(strings.TrimSpace(line), " ")
		at, err := strconv.ParseInt(seconds, 10, 64)
		if !ok || err != nil {
			return nil, fmt.Errorf("audit: git rev-list answers %q", line)
		}
		list = append(list, version{commit: commit, at: at, day: day(at)})
		fmt.Fprintf(&ask, "%s:%s\n", commit, file)
	}
	out, err = t.git(&ask, "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	r := bufio.NewReader(bytes.NewReader(out))
	kept := list[:0]
	for _, v := range list {
		head, err := r.ReadString('\n')
		if err != nil {
			return nil, fmt.Errorf("audit: git cat-file ended early: %w", err)
		}
		f := strings.Fields(head)
		if strings.HasSuffix(strings.TrimSpace(head), " missing") {
			continue // the commit removed the file
		}
		size, err := strconv.Atoi(f[len(f)-1])
		if err != nil {
			return nil, fmt.Errorf("audit: git cat-file answers %q", head)
		}
		v.text = make([]byte, size)
		if _, err := io.ReadFull(r, v.text); err != nil {
			return nil, err
		}
		if _, err := r.Discard(1); err != nil {
			return nil, err
		}
		kept = append(kept, v)
	}
	if t.rev != "" {
		return kept, nil
	}
	now, err := t.read(file)
	switch {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return nil, err
	case len(kept) == 0 || !bytes.Equal(kept[len(kept)-1].text, now):
		kept = append(kept, version{at: 1 << 62, text: now})
	}
	return kept, nil
}
