package export

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"overcomplete/kernel/notebook"
)

// brought is the rule by which a page has its own font, with the characters that it is for.
var brought = regexp.MustCompile(`src: url\(data:font/woff;base64,[A-Za-z0-9+/=]*\) format\("woff"\); unicode-range: ((?:U\+[0-9A-F]+(?:, )?)+);`)

// ShareFont has all pages below a folder that were written by HTML or Slides take the font of their formulas from one
// file there, math-….woff, which has the characters of all of them: a site of many pages needs it once. Pages by
// themselves, which readers send about, keep a font of their own.
func ShareFont(folder string) error {
	pages := map[string][]byte{}
	used := map[rune]bool{}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".html" {
			return err
		}
		page, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range brought.FindAllSubmatch(page, -1) {
			for _, c := range strings.Split(string(m[1]), ", ") {
				r, err := strconv.ParseInt(strings.TrimPrefix(c, "U+"), 16, 32)
				if err != nil {
					return fmt.Errorf("export: ShareFont: %s: %w", path, err)
				}
				used[rune(r)] = true
			}
			pages[path] = page
		}
		return nil
	})
	if err != nil || len(pages) == 0 || mathFont == nil {
		return err
	}
	font, err := fontFor(mathFont, used)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("math-%x.woff", sha256.Sum256(font))[:len("math-")+12] + ".woff"
	old, err := filepath.Glob(filepath.Join(folder, "math-????????????.woff"))
	if err != nil {
		return err
	}
	if err := notebook.WriteFile(filepath.Join(folder, name), font); err != nil {
		return err
	}
	for path, page := range pages {
		to, err := filepath.Rel(filepath.Dir(path), filepath.Join(folder, name))
		if err != nil {
			return err
		}
		rule := fmt.Sprintf(`src: url(%s) format("woff"); unicode-range: `, filepath.ToSlash(to))
		page = brought.ReplaceAllFunc(page, func(m []byte) []byte {
			_, ranges, _ := bytes.Cut(m, []byte("unicode-range: "))
			return append([]byte(rule), ranges...)
		})
		if err := notebook.WriteFile(path, page); err != nil {
			return err
		}
	}
	for _, path := range old { // of an earlier site, which no page asks for now
		if filepath.Base(path) != name {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	return nil
}
