package modules

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Check verifies that the program's file is unchanged since it was compiled, and that only the user could have
// written it. Call it before starting the program.
func (p *Program) Check() error {
	dir := filepath.Dir(p.Path)
	for _, name := range []string{filepath.Dir(filepath.Dir(dir)), filepath.Dir(dir), dir, p.Path} {
		if err := trusted(name); err != nil {
			return p.bad(err)
		}
	}
	if readStamp(dir, p.Path) {
		p.touch()
		return nil
	}
	size, sum, err := hash(p.Path)
	if err != nil {
		return p.bad(err)
	}
	if size != p.manifest.Size || sum != p.manifest.SHA256 {
		// The file is useless. Without a manifest it will be compiled again.
		os.Remove(filepath.Join(dir, manifestFile))
		return p.bad(fmt.Errorf("%s is not the program that was compiled", p.Path))
	}
	writeStamp(dir, p.Path)
	p.touch()
	return nil
}

func (p *Program) bad(err error) error {
	return &Error{Kind: Failed, What: p.Path, Text: "the compiled program is not safe to start: " + err.Error(), Advice: "run the cell again, which recompiles the program"}
}

// stampFile is the name of a file that records the state of the program's file at the last verification of its
// checksum. Computing the checksum takes up to a quarter of a second. It is unnecessary while inode, size and all times
// of the file are the same: every write sets a file's change time (ctime), and only the superuser can reset the change
// time.
const stampFile = "checked"

// readStamp reports whether the checksum of a file has been verified since the file last changed.
func readStamp(dir, file string) bool {
	now := stamp(file)
	was, err := os.ReadFile(filepath.Join(dir, stampFile))
	return err == nil && now != "" && strings.TrimSpace(string(was)) == now && trusted(filepath.Join(dir, stampFile)) == nil
}

// writeStamp records that the checksum of a file has been verified. Without this record the checksum is
// computed again.
func writeStamp(dir, file string) {
	if now := stamp(file); now != "" {
		os.WriteFile(filepath.Join(dir, stampFile), []byte(now+"\n"), 0o600)
	}
}
