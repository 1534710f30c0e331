package smallpng

import (
	"os"
	"os/exec"
	"path/filepath"
)

// Recompress returns a PNG file compressed again by zopflipng, with the same pixels. This takes seconds and saves about
// a tenth, which is worth it only for files that are committed. Recompress returns the file unchanged if zopflipng is
// not installed, if it fails, or if its result is not smaller.
func Recompress(file []byte) []byte {
	program, err := exec.LookPath("zopflipng")
	if err != nil {
		return file
	}
	dir, err := os.MkdirTemp("", "overcomplete-png-*")
	if err != nil {
		return file
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, "in.png"), filepath.Join(dir, "out.png")
	if os.WriteFile(in, file, 0o600) != nil || exec.Command(program, in, out).Run() != nil {
		return file
	}
	small, err := os.ReadFile(out)
	if err != nil || len(small) == 0 || len(small) >= len(file) {
		return file
	}
	return small
}
