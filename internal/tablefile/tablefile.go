// Package tablefile splits and joins generated Go files that contain tables. A table describes one package that cells
// can import (see package kernel/bind). The tables of a file are independent: a kernel may omit or replace any of
// them, and a recorded result depends only on the tables of the packages that it uses.
package tablefile

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

var (
	fileParts  = regexp.MustCompile(`(?s)^(.*?\nimport \(\n)(.*?)(\n\t"[^"]*/kernel/bind"\n\)\n)\n(.*)$`)
	tableStart = regexp.MustCompile(`(?m)^func init\(\) \{ bind\.`)
	tablePath  = regexp.MustCompile(`(?m)^\tPath: +"([^"]+)",$`)
	importPath = regexp.MustCompile(`"(.*)"`)
)

// Path returns the import path of the package that a table describes, or "" if there is none. The argument is a file
// with this one table, or the text of the table alone.
func Path(table []byte) string {
	if m := tablePath.FindSubmatch(table); m != nil {
		return string(m[1])
	}
	return ""
}

// Read returns the tables of the file with the given name, as Split does.
func Read(name string) ([][]byte, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	tables, err := Split(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return tables, nil
}

// Split returns the tables of a file, each as a file of its own, in order. It is the inverse of Join.
func Split(file []byte) ([][]byte, error) {
	m := fileParts.FindSubmatch(file)
	if m == nil {
		return nil, errors.New("tables: not a file with tables")
	}
	head, imports, bind, body := string(m[1]), string(m[2]), string(m[3]), m[4]
	lines := map[string]string{}
	for line := range strings.Lines(imports) {
		if m := importPath.FindStringSubmatch(line); m != nil {
			lines[m[1]] = line
		}
	}
	var tables [][]byte
	starts := tableStart.FindAllIndex(body, -1)
	for i, start := range starts {
		end := len(body)
		if i+1 < len(starts) {
			end = starts[i+1][0] - 1 // without the empty line
		}
		text := body[start[0]:end]
		line := lines[Path(text)]
		if line == "" {
			return nil, fmt.Errorf("tables: the table of %q has no import", Path(text))
		}
		tables = append(tables, []byte(head+line+bind+"\n"+string(text)))
	}
	return tables, nil
}

// Join returns one file with the tables of several files, in the given order. The files must have the same package and
// the same build constraint.
func Join(tables ...[]byte) ([]byte, error) {
	var head, bind string
	var imports, bodies []string
	for i, t := range tables {
		m := fileParts.FindSubmatch(t)
		if m == nil {
			return nil, errors.New("tables: not a file with tables")
		}
		if i == 0 {
			head, bind = string(m[1]), string(m[3])
		} else if head != string(m[1]) {
			return nil, fmt.Errorf("tables: %s and %s cannot be in the same file", Path(tables[0]), Path(t))
		}
		imports = append(imports, string(m[2]))
		bodies = append(bodies, string(m[4]))
	}
	slices.SortFunc(imports, func(a, b string) int { // as gofmt does
		return strings.Compare(importPath.FindString(a), importPath.FindString(b))
	})
	return []byte(head + strings.Join(imports, "") + bind + "\n" + strings.Join(bodies, "\n")), nil
}
