package record

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// wholeFile is the size in bytes up to which a file is identified by its content. A larger file, such as the
// features of a data set, is identified by its size and modification time: hashing the file would take
// minutes, and its readers check it anyway.
const wholeFile = 64 << 20

func fileState(path string, info fs.FileInfo) (string, error) {
	if !info.Mode().IsRegular() || info.Size() > wholeFile {
		return fmt.Sprintf("%d bytes of %s", info.Size(), info.ModTime().UTC().Format("2006-01-02T15:04:05.000000000Z")), nil
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("record: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("record: %w", err)
	}
	return "sha256 " + hex.EncodeToString(h.Sum(nil))[:16], nil
}
