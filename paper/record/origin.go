package record

import (
	"path"
	"runtime"
	"strings"

	"overcomplete/internal/module"
)

// An Origin is the code that produced a row or a figure.
type Origin struct {
	// Experiment is the method of the paper's Lab that the notebook calls:
	// "paper/bradley2008.Lab.Table2".
	Experiment string `json:"experiment,omitempty"`
	// File and Line locate the code that created the row or figure, and Func is the function that contains
	// this code: "paper/bradley2008/table2.go", 131, "Lab.table2Rows".
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	Func string `json:"func,omitempty"`
}

// origin finds the running code of a paper on the call stack: the innermost function in a paper's package, and the
// outermost method of a Lab. The packages that papers share do not count. The result is the zero Origin if a cell of
// the notebook adds the row itself.
func origin() Origin {
	o, _ := findOrigin()
	return o
}

// Maker returns the name and the file of the calling experiment, in the form used in captions of figures:
// "paper/bradley2008, Lab.Table2 in table2.go". Outside an experiment it returns "".
func Maker() string {
	o, file := findOrigin()
	folder, method, ok := strings.Cut(o.Experiment, ".")
	if !ok {
		return ""
	}
	return folder + ", " + method + " in " + file
}

// findOrigin returns the origin, and the name of the file that declares the experiment.
func findOrigin() (o Origin, file string) {
	var pcs [256]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if folder, decl, ok := paperFunc(f.Function); ok {
			name := path.Base(strings.ReplaceAll(f.File, `\`, "/"))
			if o.File == "" {
				o.File, o.Line, o.Func = folder+"/"+name, f.Line, decl
			}
			if strings.HasPrefix(decl, "Lab.") {
				o.Experiment, file = folder+"."+decl, name
			}
		}
		if !more {
			return o, file
		}
	}
}

// paperFunc splits the name that the runtime gives to a function in a paper's package:
// "overcomplete/paper/bradley2008.(*Lab).Table2.func1" stands for Lab.Table2 in paper/bradley2008. For functions in
// other packages, including those that papers share, ok is false.
func paperFunc(name string) (folder, decl string, ok bool) {
	rest, ok := strings.CutPrefix(name, module.Package("paper/"))
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
	// A function literal in a package-level variable is called glob..func1.
	return "paper/" + pkg, strings.Join(parts[:n], "."), true
}
