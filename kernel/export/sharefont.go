package export

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"overcomplete/kernel/notebook"
)

// embeddedFontRule matches the CSS rule that embeds a font in a page. The submatch is the list of the font's characters.
var embeddedFontRule = regexp.MustCompile(`src: url\(data:font/woff;base64,[A-Za-z0-9+/=]*\) format\("woff"\); unicode-range: ((?:U\+[0-9A-F]+(?:, )?)+);`)

// shareFont makes all pages below a folder use one font file for their formulas. The font has the characters of
// all pages.
func shareFont(folder string) error {
	pages := map[string][]byte{}
	used := map[rune]bool{}
	err := eachPage(folder, func(path string, page []byte) error {
		for _, m := range embeddedFontRule.FindAllSubmatch(page, -1) {
			for _, c := range strings.Split(string(m[1]), ", ") {
				r, err := strconv.ParseInt(strings.TrimPrefix(c, "U+"), 16, 32)
				if err != nil {
					return fmt.Errorf("export: Share: %s: %w", path, err)
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
	sum := sha256.Sum256(font)
	file := filepath.Join(folder, fmt.Sprintf("math-%x.woff", sum[:6]))
	if err := keep(folder, file, font); err != nil {
		return err
	}
	for path, page := range pages {
		to, err := address(path, file)
		if err != nil {
			return err
		}
		rule := fmt.Sprintf(`src: url(%s) format("woff"); unicode-range: `, to)
		page = embeddedFontRule.ReplaceAllFunc(page, func(m []byte) []byte {
			_, ranges, _ := bytes.Cut(m, []byte("unicode-range: "))
			return append([]byte(rule), ranges...)
		})
		if err := notebook.WriteFile(path, page); err != nil {
			return err
		}
	}
	return removeStale(folder, "math-????????????.woff", file)
}
