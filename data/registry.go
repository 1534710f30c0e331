package data

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"overcomplete/internal/spelling"
)

// A Set is a data set.
type Set struct {
	Name    string // the set's name for Get, Open and the command line
	What    string // description in one line
	Files   []File // all files are needed
	License string // the terms, in a few words
	Cite    string // works to cite
	Home    string // home page
	Loader  string // import path of the package that reads it
	// ByHand explains how to get the set if no address serves it as a plain download. It is empty if Get can
	// fetch every file.
	ByHand string
}

// A File is one file of a set.
type File struct {
	Name string // the name that is looked for first, and under which Get stores the file
	// The field Also lists other names under which the file may be found. A file with such a name may be another
	// container (for example without compression) with the same content.
	Also    []string
	Size    int64    // in bytes, of the file from which the checksums were computed; 0 if unknown
	SHA256  []string // checksums of complete files known to be good
	Content Content
	URLs    []string // addresses of the file Name, tried in turn; none if the file must be fetched by hand
	Limit   int64    // in bytes; Get refuses a larger file. 0 means 512 MiB
}

// Content identifies the content of a file independently of its container. At most one of its three kinds of checksum
// (Unpacked, Members, Values) is used. A zero Content identifies nothing; if File.SHA256 is empty too, the file is not
// checked.
type Content struct {
	// Unpacked is the SHA-256 of the decompressed content, or of the file itself if it is not compressed. At
	// most UnpackedLimit bytes are decompressed.
	Unpacked      string
	UnpackedLimit int64

	// Members lists the members that an archive must have, with names relative to one of the folders in the field
	// Folders ("" is the top; other folders end with a slash). Members that are not listed are skipped. But if Suffix
	// is not "", it is an error if the name of an unlisted member ends with Suffix.
	Members []Member
	Folders []string
	Suffix  string

	// Values is the SHA-256 of the values of the array called Variable in a MATLAB file. The values are taken
	// column by column, as little-endian float64, however the file stores them.
	Variable, Values string
}

// A Member is a file in an archive.
type Member struct{ Name, SHA256 string }

// names returns all names under which the file may be found.
func (f File) names() []string { return append([]string{f.Name}, f.Also...) }

// Size returns the total number of bytes of all files with a known size.
func (s Set) Size() int64 {
	n := int64(0)
	for _, f := range s.Files {
		n += f.Size
	}
	return n
}

// file returns the file with the given name; "" means the first file.
func (s Set) file(name string) (File, error) {
	for _, f := range s.Files {
		if name == "" || f.Name == name {
			return f, nil
		}
	}
	var names []string
	for _, f := range s.Files {
		names = append(names, f.Name)
	}
	return File{}, fmt.Errorf("data: the set %q has no file %q; its files are %s", s.Name, name, strings.Join(names, ", "))
}

// Sets returns all sets, sorted by name. The caller may change the list.
func Sets() []Set { return table() }

// Find returns the set with the given name. If there is none, the error suggests the
// nearest name.
func Find(name string) (Set, error) {
	sets := Sets()
	names := make([]string, len(sets))
	for i, s := range sets {
		if s.Name == name {
			return s, nil
		}
		names[i] = s.Name
	}
	hint := ""
	if len(name) <= 64 { // a longer name is not a typo, and the comparison would take long
		near := slices.MinFunc(names, func(a, b string) int { return spelling.Distance(name, a) - spelling.Distance(name, b) })
		if spelling.Distance(name, near) <= 1+len(near)/3 {
			hint = fmt.Sprintf("; did you mean %q?", near)
		}
	}
	return Set{}, fmt.Errorf("data: unknown set %q%s (the sets are %s)", name, hint, strings.Join(names, ", "))
}

//go:embed sums/*.sha256
var sumFiles embed.FS

// sums parses an embedded list of members. Each line has a checksum, two spaces and a name.
func sums(name string) []Member {
	b, err := sumFiles.ReadFile("sums/" + name + ".sha256")
	if err != nil {
		panic("data: " + err.Error())
	}
	var list []Member
	for line := range strings.Lines(string(b)) {
		sum, file, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if !ok || len(sum) != 64 || file == "" {
			panic(fmt.Sprintf("data: sums/%s.sha256: %q", name, line))
		}
		list = append(list, Member{file, sum})
	}
	return list
}

// members holds the embedded lists, parsed once.
var members = sync.OnceValue(func() map[string][]Member {
	m := map[string][]Member{}
	for _, name := range []string{"att-faces", "cifar10", "fsdd", "natural", "reviews"} {
		m[name] = sums(name)
	}
	return m
})
