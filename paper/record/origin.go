package record

import (
	"path"
	"runtime"
	"strings"
)

// An Origin is the code that a row or a figure comes from.
type Origin struct {
	// Experiment is the method of the paper's Lab that a notebook calls:
	// "paper/bradley2008.Lab.Table2".
	Experiment string `json:"experiment,omitempty"`
	// File and Line are where the row or the figure was put together, Func the
	// function there: "paper/bradley2008/table2.go", 131, "Lab.table2Rows".
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	Func string `json:"func,omitempty"`
}

// passesOn is the method of a Lab that does no more than pass rows on to Run.Add, with
// another rule where the data is generated: it is nowhere that a row comes from.
const passesOn = "Lab.claim"

// origin looks for the code of papers on the stack: the innermost place that is
// not of the packages that papers share, and the outermost method of a Lab. A cell
// of a notebook that adds rows itself has none of either.
func origin() Origin {
	var o Origin
	var pcs [256]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		f, more := frames.Next()
		if folder, decl, ok := paperFunc(f.Function); ok {
			if o.File == "" && decl != passesOn {
				o.File, o.Line, o.Func = folder+"/"+path.Base(strings.ReplaceAll(f.File, `\`, "/")), f.Line, decl
			}
			if strings.HasPrefix(decl, "Lab.") {
				o.Experiment = folder + "." + decl
			}
		}
		if !more {
			return o
		}
	}
}

// paperFunc splits the runtime's name of a function of a paper's package:
// "overcomplete/paper/bradley2008.(*Lab).Table2.func1" is Lab.Table2 in paper/bradley2008.
func paperFunc(name string) (folder, decl string, ok bool) {
	rest, ok := strings.CutPrefix(name, "overcomplete/paper/")
	if !ok {
		return "", "", false
	}
	pkg, decl, ok := strings.Cut(rest, ".")
	switch {
	case !ok, strings.Contains(pkg, "/"), pkg == "record", pkg == "lab", strings.HasSuffix(pkg, "_test"):
		return "", "", false
	}
	decl = strings.NewReplacer("(*", "", ")", "").Replace(decl)
	parts := strings.FieldsFunc(decl, func(r rune) bool { return r == '.' })
	n := 1
	if len(parts) > 1 && !strings.HasPrefix(parts[1], "func") && !strings.HasPrefix(parts[1], "gowrap") {
		n = 2
	}
	// A function literal in a package's variable is called glob..func1.
	return "paper/" + pkg, strings.Join(parts[:n], "."), true
}
