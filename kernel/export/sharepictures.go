package export

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"path/filepath"
	"regexp"

	"overcomplete/kernel/notebook"
)

// own is a picture of pixels that a page has in itself, as one of its own or in a drawing; scripts write their quotation
// marks in another way, so that a slider's positions are left alone.
var own = regexp.MustCompile(`\b(src|href)="data:image/(png|jpeg);base64,([A-Za-z0-9+/=]+)"`)

// sharedPicture is how a page asks for one that was shared.
var sharedPicture = regexp.MustCompile(`\b(?:src|href)="(?:\.\./)*pictures/([0-9a-f]{16}\.(?:png|jpeg))"`)

// smallPicture is how many letters a picture has at most that stays where it is: asking for a file takes longer.
const smallPicture = 2048

// sharePictures has pages below a folder take those pictures from files in pictures/ that occur there more than once,
// which a notebook's page, its slides and the record's page have in common.
func sharePictures(folder string) error {
	name := func(m [][]byte) string {
		sum := sha256.Sum256(m[3])
		return fmt.Sprintf("%x.%s", sum[:8], m[2])
	}
	times := map[string]int{}
	err := eachPage(folder, func(_ string, page []byte) error {
		for _, m := range own.FindAllSubmatch(page, -1) {
			if len(m[3]) > smallPicture {
				times[name(m)]++
			}
		}
		for _, m := range sharedPicture.FindAllSubmatch(page, -1) {
			times[string(m[1])] += 2 // as an earlier call found it
		}
		return nil
	})
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	err = eachPage(folder, func(path string, page []byte) error {
		var failed error
		shared := own.ReplaceAllFunc(page, func(whole []byte) []byte {
			m := own.FindSubmatch(whole)
			n := name(m)
			if times[n] < 2 || failed != nil {
				return whole
			}
			file := filepath.Join(folder, "pictures", n)
			if !seen[n] {
				data, err := base64.StdEncoding.DecodeString(string(m[3]))
				if err != nil {
					return whole // no picture: the page has what its writer gave it
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
