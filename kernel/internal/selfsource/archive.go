package selfsource

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/andybalholm/brotli"

	"overcomplete/kernel/internal/apidoc"
)

const (
	own     = "kernel/internal/selfsource" // the folder of this package
	archive = "source.br"                  // name of the archive in that folder

	// Archive is the path, relative to the root of the module, of the file that a build with the tag packed links into
	// the program.
	Archive = own + "/" + archive
)

// A tree maps file names to contents.
type tree map[string][]byte

// read reads the files from which the command is built.
func read(root fs.FS) (tree, error) {
	names, err := Needed(root, roots)
	if err != nil {
		return nil, err
	}
	t := tree{}
	for _, name := range names {
		if t[name], err = fs.ReadFile(root, name); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// key returns a hash of the names and contents of t's files.
func (t tree) key() string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(t)) {
		fmt.Fprintf(h, "%q %d\n", name, len(t[name]))
		h.Write(t[name])
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// A header describes an archive. It is stored as JSON in the first line of the archive; the compressed contents of the
// files follow.
type header struct {
	Key     string
	Quality int // of the compression
	GoMod   string
	// Files lists the files in the order of the compressed part, which holds their contents one after the
	// other.
	Files []packedFile
}

type packedFile struct {
	Name string
	Size int
	// Sum is not empty if the compressed part leaves the file out, because the program embeds the file anyway. The file
	// is then an archive in package apidoc, and Sum is the SHA-256 of this archive.
	Sum string `json:",omitempty"`
}

// leftOut is the pattern of the names of files that the archive leaves out, because the program embeds them
// anyway.
const leftOut = "api*.zip"

// Qualities of the compression, as Brotli numbers them.
const (
	Quick    = 5  // takes half a second
	Smallest = 11 // takes half a minute, and saves a sixth
)

// pack returns an archive of t's files, compressed with the given quality, Quick or Smallest. The files are compressed
// together, because source files resemble each other. They are sorted by name and stored without times, so that equal
// files give equal archives.
func (t tree) pack(quality int) ([]byte, error) {
	h := header{Key: t.key(), Quality: quality, GoMod: string(t["go.mod"])}
	var b, body bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(t)) {
		f := packedFile{Name: name, Size: len(t[name])}
		if ok, _ := path.Match(leftOut, path.Base(name)); ok {
			f.Sum = sum(t[name])
		} else {
			body.Write(t[name])
		}
		h.Files = append(h.Files, f)
	}
	if err := json.NewEncoder(&b).Encode(h); err != nil {
		return nil, err
	}
	w := brotli.NewWriterOptions(&b, brotli.WriterOptions{Quality: quality, LGWin: 24})
	if _, err := w.Write(body.Bytes()); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func sum(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// readHeader returns the header of an archive, and a reader of its compressed part.
func readHeader(data []byte) (header, *bytes.Reader, error) {
	line, rest, ok := bytes.Cut(data, []byte("\n"))
	if !ok {
		return header{}, nil, errors.New("the archive of the source is damaged")
	}
	var h header
	if err := json.Unmarshal(line, &h); err != nil {
		return header{}, nil, fmt.Errorf("the archive of the source is damaged: %w", err)
	}
	return h, bytes.NewReader(rest), nil
}

// unpack returns all files of an archive. An archive leaves out files that the program embeds anyway; unpack takes
// these from the program.
func unpack(data []byte) (tree, error) {
	t, h, err := unpackOwn(data)
	if err != nil {
		return nil, err
	}
	embedded, err := apidocArchives()
	if err != nil {
		return nil, err
	}
	for _, f := range h.Files {
		if f.Sum == "" {
			continue
		}
		if t[f.Name] = embedded[f.Sum]; t[f.Name] == nil {
			return nil, fmt.Errorf("%w: it lacks %s", ErrNone, f.Name)
		}
	}
	return t, nil
}

// unpackOwn returns the files that an archive itself contains, and the archive's header. It does not return the files
// that unpack takes from the program.
func unpackOwn(data []byte) (tree, header, error) {
	h, compressed, err := readHeader(data)
	if err != nil {
		return nil, h, err
	}
	t, r := tree{}, bufio.NewReader(brotli.NewReader(compressed))
	for _, f := range h.Files {
		if f.Sum != "" {
			continue
		}
		t[f.Name] = make([]byte, f.Size)
		if _, err := io.ReadFull(r, t[f.Name]); err != nil {
			return nil, h, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	if _, err := r.ReadByte(); err != io.EOF {
		return nil, h, fmt.Errorf("the archive of the source is damaged: after its last file, %w", cmp.Or(err, errors.New("there is more")))
	}
	return t, h, nil
}

// folder returns the files below the given subfolders of dir, as a file system whose root is dir.
func (t tree) folder(dir string, subfolders ...string) fs.FS {
	m := fstest.MapFS{}
	for name, data := range t {
		name, ok := strings.CutPrefix(name, dir+"/")
		first, _, below := strings.Cut(name, "/")
		if ok && below && slices.Contains(subfolders, first) {
			m[name] = &fstest.MapFile{Data: data, Mode: 0o444} // the mode of embedded files
		}
	}
	return m
}

// apidocArchives returns the archives of documentation that are linked into this program, by their SHA-256.
func apidocArchives() (map[string][]byte, error) {
	m := map[string][]byte{}
	for _, source := range apidoc.Sources() {
		names, err := fs.Glob(source, leftOut)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			data, err := fs.ReadFile(source, name)
			if err != nil {
				return nil, err
			}
			m[sum(data)] = data
		}
	}
	return m, nil
}

// Current returns an archive of the checkout at root. If oldData is already a suitable archive of the same files,
// Current returns oldData and true. With the quality Smallest, oldData is suitable only if it was compressed with that
// quality. So the bytes of a release depend on nothing but the source of the release. With the quality Quick, oldData
// may have either quality.
func Current(root fs.FS, oldData []byte, quality int) (data []byte, same bool, err error) {
	t, err := read(root)
	if err != nil {
		return nil, false, err
	}
	if h, _, err := readHeader(oldData); err == nil && h.Key == t.key() && (h.Quality == quality || quality == Quick) {
		return oldData, true, nil
	}
	data, err = t.pack(quality)
	return data, false, err
}
