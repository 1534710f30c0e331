package atomicfile

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io/fs"
	"slices"
)

// What Unseal finds wrong with a file.
var (
	ErrMagic = errors.New("it does not begin as such a file")
	ErrSeal  = errors.New("it is cut off or damaged: its checksum is wrong")
)

// Seal is the form of files that must not be read if they are damaged: magic, the
// sha256 of the content, and the content.
func Seal(magic string, content []byte) []byte {
	sum := sha256.Sum256(content)
	return slices.Concat([]byte(magic), sum[:], content)
}

// Unseal gives the content of what Seal made with the same magic, or ErrMagic or
// ErrSeal.
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

// WriteSealed is Write of the sealed content.
func WriteSealed(path, magic string, content []byte, mode fs.FileMode) error {
	return Write(path, Seal(magic, content), mode)
}
