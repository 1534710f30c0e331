package course

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"html"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// inlined matches a picture that is part of a page.
var inlined = regexp.MustCompile(`data:image/png;base64,([A-Za-z0-9+/=]+)`)

// shared replaces the pictures in a page that are figures of a folder by the addresses of their SVG, below to:
// the site has them for the report already, and slides with pictures of their own would be half of it.
func shared(page []byte, folder, to string) ([]byte, error) {
	list, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	names := map[[sha256.Size]byte]string{} // of the SVG, by what the PNG is
	for _, entry := range list {
		name, ok := strings.CutSuffix(entry.Name(), ".png")
		if !ok {
			continue
		}
		if _, err := os.Stat(filepath.Join(folder, name+".svg")); err != nil {
			continue
		}
		b, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			return nil, err
		}
		names[sha256.Sum256(b)] = name + ".svg"
	}
	return inlined.ReplaceAllFunc(page, func(address []byte) []byte {
		b, err := base64.StdEncoding.DecodeString(string(inlined.FindSubmatch(address)[1]))
		name, ok := names[sha256.Sum256(b)]
		if err != nil || !ok {
			return address
		}
		return []byte(html.EscapeString(to + url.PathEscape(name)))
	}), nil
}
