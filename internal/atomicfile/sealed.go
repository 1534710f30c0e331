package atomicfile

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io/fs"
	"slices"
)

// The errors of Unseal.
var (
	ErrMagic = errors.New("it does not begin as such a file does")
	ErrSeal  = errors.New("it is cut off or damaged: its checksum is wrong")
)

// Seal returns the content in a form in which damage can be detected: first magic, then the SHA-256 checksum of the
// content, then the content itself.
func Seal(magic string, content []byte) []byte {
	sum := sha256.Sum256(content)
	return slices.Concat([]byte(magic), sum[:], content)
}

// Unseal reverses Seal: it returns the content if b is what Seal returned for the same magic. The error is ErrMagic if
// b does not begin with magic, and ErrSeal if b is cut off or damaged.
func Unseal(magic string, b []byte) ([]byte, error) {
	rest, ok := bytes.CutPrefix(b, []byte(magic))
	if !ok {
		return nil, ErrMagic
	}
	if len(rest) < sha256.Size {
		return nil, ErrSeal
	}
	content := rest[sha256.Size:]
	if sum := sha256.Sum256(content); !bytes.Equal(sum[:], rest[:sha256.Size]) {
		return nil, ErrSeal
	}
	return content, nil
}

// WriteSealed seals the content and writes it to a file as Write does.
func WriteSealed(path, magic string, content []byte, mode fs.FileMode) error {
	return Write(path, Seal(magic, content), mode)
}
