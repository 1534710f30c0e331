package export

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"overcomplete/internal/inside"
	"overcomplete/kernel/notebook"
)

// Share moves common content of the pages below a folder into shared files: the font of their formulas into
// math-….woff, and pictures into pictures/. A site of many pages then stores the font and each picture only once. The
// pages must be as HTML or Slides returned them. Do not use Share for pages that readers pass on one by one; they
// should embed everything.
func Share(folder string) error {
	if err := shareFont(folder); err != nil {
		return err
	}
	return sharePictures(folder)
}

// eachPage calls f for the pages below a folder, sorted by name.
func eachPage(folder string, f func(path string, page []byte) error) error {
	return filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Ext(path) != ".html" {
			return err
		}
		page, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return f(path, page)
	})
}

// keep writes a shared file below a folder.
func keep(folder, path string, data []byte) error {
	if err := inside.Check(folder, path); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return notebook.WriteFile(path, data)
}

// address returns the address of a file relative to a page.
func address(page, file string) (string, error) {
	to, err := filepath.Rel(filepath.Dir(page), file)
	return filepath.ToSlash(to), err
}

// removeStale removes the files that an earlier version of the site left below a folder: those that match the pattern
// and are not listed as wanted.
func removeStale(folder, pattern string, wanted ...string) error {
	pattern = filepath.Join(folder, pattern)
	if err := inside.Check(folder, filepath.Dir(pattern)); err != nil {
		return err
	}
	old, err := filepath.Glob(pattern)
	if err != nil {
		return err
	}
	for _, path := range old {
		if slices.Contains(wanted, path) {
			continue
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}

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

// embeddedPicture matches an embedded bitmap in a page or in a drawing. It does not match the saved positions of a slider,
// because scripts escape their quotation marks.
var embeddedPicture = regexp.MustCompile(`\b(src|href)="data:image/(png|jpeg);base64,([A-Za-z0-9+/=]+)"`)

// sharedPicture matches a reference to a shared picture.
var sharedPicture = regexp.MustCompile(`\b(?:src|href)="(?:\.\./)*pictures/([0-9a-f]{16}\.(?:png|jpeg))"`)

// smallPicture is the size in base64 characters up to which a picture stays embedded, because requesting a file
// would take longer.
const smallPicture = 2048

// sharePictures moves embedded pictures that occur more than once in the pages below a folder to files in pictures/.
// For example, the page of a notebook and the slides made from it show the same pictures. Small pictures stay
// embedded.
func sharePictures(folder string) error {
	name := func(m [][]byte) string {
		sum := sha256.Sum256(m[3])
		return fmt.Sprintf("%x.%s", sum[:8], m[2])
	}
	times := map[string]int{}
	err := eachPage(folder, func(_ string, page []byte) error {
		for _, m := range embeddedPicture.FindAllSubmatch(page, -1) {
			if len(m[3]) > smallPicture {
				times[name(m)]++
			}
		}
		for _, m := range sharedPicture.FindAllSubmatch(page, -1) {
			times[string(m[1])] += 2 // an earlier call found the picture twice
		}
		return nil
	})
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	err = eachPage(folder, func(path string, page []byte) error {
		var failed error
		shared := embeddedPicture.ReplaceAllFunc(page, func(whole []byte) []byte {
			m := embeddedPicture.FindSubmatch(whole)
			n := name(m)
			if times[n] < 2 || failed != nil {
				return whole
			}
			file := filepath.Join(folder, "pictures", n)
			if !seen[n] {
				data, err := base64.StdEncoding.DecodeString(string(m[3]))
				if err != nil {
					return whole // this is not a picture, so leave it unchanged
				}
				if failed = keep(folder, file, data); failed != nil {
					return whole
				}
				seen[n] = true
			}
			to, err := address(path, file)
			if failed = err; err != nil {
				return whole
			}
			return fmt.Appendf(nil, `%s="%s"`, m[1], to)
		})
		if failed != nil || bytes.Equal(shared, page) {
			return failed
		}
		return notebook.WriteFile(path, shared)
	})
	if err != nil {
		return err
	}
	var wanted []string
	for n, c := range times {
		if c > 1 {
			wanted = append(wanted, filepath.Join(folder, "pictures", n))
		}
	}
	return removeStale(folder, filepath.Join("pictures", "????????????????.*"), wanted...)
}
