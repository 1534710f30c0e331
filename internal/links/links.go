// Package links finds broken links in a project's Markdown files and in the text of its notebooks.
package links

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// skipped lists folders with program output, and folders that do not belong to the project.
var skipped = []string{".git", "bin", "dist", "site", "site-jupyterlite", "figures/run", "notebooks/run", "testdata", "node_modules"}

// Files lists the Markdown files and notebooks below root, as slash-separated paths relative to root. It omits folders
// with program output and folders that do not belong to the project.
func Files(root string) (list []string, err error) {
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() && (slices.Contains(skipped, rel) || slices.Contains(skipped, d.Name())) {
			return fs.SkipDir
		}
		if !d.IsDir() && (strings.HasSuffix(rel, ".md") || isNotebook(rel)) {
			list = append(list, rel)
		}
		return nil
	})
	return list, err
}

var (
	fence   = regexp.MustCompile("(?ms)^[ \t]*```.*?^[ \t]*```[ \t]*$")
	code    = regexp.MustCompile("`[^`\n]+`")
	named   = regexp.MustCompile("`((?:cmd|data|docs|figures|internal|kernel|kernel-helpers|notebooks|paper|suite|ui)/[\\w./-]+\\.[a-z]+)`")
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	scheme  = regexp.MustCompile(`^[a-z][a-z0-9+.-]*:`)
	heading = regexp.MustCompile(`(?m)^#{1,6}[ \t]+(.+?)[ \t]*$`)
	linked  = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
)

// Broken describes the links in the files below root that lead to a missing file or heading, or out of root. In
// notebooks it also reports names of missing files, such as `kernel-helpers/pca/eigen.go`. It does not check links
// with a scheme, such as https, or links that contain a template's {{.
func Broken(root string) (faults []string, err error) {
	files, err := Files(root)
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for _, name := range files {
		b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		if isNotebook(name) {
			if b, err = markdown(b); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
		texts[name] = strings.ReplaceAll(string(b), "\r\n", "\n")
	}
	for _, name := range files {
		if isNotebook(name) { // other texts also name files that commands write
			for _, m := range named.FindAllStringSubmatch(texts[name], -1) {
				if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(m[1]))); err != nil {
					faults = append(faults, fmt.Sprintf("%s: there is no %s", name, m[1]))
				}
			}
		}
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(fence.ReplaceAllString(texts[name], ""), "``"), -1) {
			to := m[1]
			if scheme.MatchString(to) || strings.Contains(to, "{{") {
				continue
			}
			path, anchor, _ := strings.Cut(to, "#")
			path, err := url.PathUnescape(path)
			if err != nil {
				faults = append(faults, fmt.Sprintf("%s: %s: %v", name, to, err))
				continue
			}
			target := name
			if path != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(filepath.FromSlash(name)), filepath.FromSlash(path)))
				if strings.HasPrefix(target, "../") {
					faults = append(faults, fmt.Sprintf("%s: %s leads out of the project", name, to))
					continue
				}
				if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(target))); err != nil {
					faults = append(faults, fmt.Sprintf("%s: %s: there is no %s", name, to, target))
					continue
				}
			}
			if text, ok := texts[target]; anchor != "" && ok && !slices.Contains(Anchors(text), anchor) {
				faults = append(faults, fmt.Sprintf("%s: %s: %s has no such heading", name, to, target))
			}
		}
	}
	return faults, nil
}

func isNotebook(name string) bool { return strings.HasSuffix(name, ".ipynb") }

// markdown returns the text of a notebook.
func markdown(notebook []byte) ([]byte, error) {
	var nb struct {
		Cells []struct {
			Kind   string   `json:"cell_type"`
			Source []string `json:"source"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(notebook, &nb); err != nil {
		return nil, err
	}
	var b []byte
	for _, c := range nb.Cells {
		if c.Kind == "markdown" {
			b = append(append(b, strings.Join(c.Source, "")...), "\n\n"...)
		}
	}
	return b, nil
}

// Anchors returns the anchors that GitHub generates for the headings of a text.
func Anchors(text string) (list []string) {
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		var b strings.Builder
		for _, r := range strings.ToLower(linked.ReplaceAllString(m[1], "$1")) {
			switch {
			case r == ' ':
				b.WriteByte('-')
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				b.WriteRune(r)
			}
		}
		name := b.String()
		for n, first := 1, name; slices.Contains(list, name); n++ {
			name = fmt.Sprintf("%s-%d", first, n)
		}
		list = append(list, name)
	}
	return list
}
