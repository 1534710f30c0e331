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
