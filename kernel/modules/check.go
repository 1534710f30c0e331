package modules

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Check makes sure, before the program is started, that the file is what was compiled, and that
// nobody but the user can have written it.
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
		// It is of no use to anybody: the next time it is compiled anew.
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

// stampFile is where it stands which file the checksum was computed of last. That takes up to a quarter
// of a second, and nothing need be computed again of a file of which inode, size and all times are
// the same: nobody can write to a file without its time of change being set to now, and nobody
// but the superuser can set that to another time.
const stampFile = "checked"

// readStamp reports whether the checksum of a file was right, and the file is the same.
func readStamp(dir, file string) bool {
	now := stamp(file)
	was, err := os.ReadFile(filepath.Join(dir, stampFile))
	return err == nil && now != "" && strings.TrimSpace(string(was)) == now && trusted(filepath.Join(dir, stampFile)) == nil
}

// writeStamp notes that the checksum of a file is right. Without a note it is computed again.
func writeStamp(dir, file string) {
	if now := stamp(file); now != "" {
		os.WriteFile(filepath.Join(dir, stampFile), []byte(now+"\n"), 0o600)
	}
}
