package modules

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Check verifies, before the program is started, that its file is as compiled and that only the user can have
// written it.
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
		// The file is useless: without a manifest it is compiled again.
		os.Remove(filepath.Join(dir, manifestFile))
		return p.bad(fmt.Errorf("%s is not what was compiled", p.Path))
	}
	writeStamp(dir, p.Path)
	p.touch()
	return nil
}

func (p *Program) bad(err error) error {
	return &Error{Kind: Failed, What: p.Path, Text: "the compiled program must not be started: " + err.Error(), Advice: "run the cell again, which compiles it anew"}
}

// stampFile records the file for which the checksum was last verified. Computing it takes up to a quarter of a
// second, and is unnecessary while inode, size and all times are the same: every write sets a file's change
// time (ctime), and only the superuser can set that back.
const stampFile = "checked"

// readStamp reports whether the checksum of a file was verified and the file is unchanged.
func readStamp(dir, file string) bool {
	now := stamp(file)
	was, err := os.ReadFile(filepath.Join(dir, stampFile))
	return err == nil && now != "" && strings.TrimSpace(string(was)) == now && trusted(filepath.Join(dir, stampFile)) == nil
}

// writeStamp records that the checksum of a file is right. Without a record it is computed again.
func writeStamp(dir, file string) {
	if now := stamp(file); now != "" {
		os.WriteFile(filepath.Join(dir, stampFile), []byte(now+"\n"), 0o600)
	}
}
