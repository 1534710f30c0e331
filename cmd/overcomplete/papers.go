package main

import (
	"overcomplete/paper/bradley2008"
	"overcomplete/paper/iconframework"
	"overcomplete/paper/lab"
	"overcomplete/paper/lectureattention"
	"overcomplete/paper/lecturepca"
	"overcomplete/paper/lecturesparse"
	"overcomplete/paper/lewicki"
	"overcomplete/paper/nmfimplicit"
	"overcomplete/paper/s3c2011"
)

// declaredPapers returns the declarations of all papers, in the order of their notebooks. "overcomplete
// new-paper" adds a line here for each new paper.
func declaredPapers() []lab.Paper {
	return []lab.Paper{
		bradley2008.Experiments(),
		iconframework.Experiments(),
		lectureattention.Experiments(),
		lecturepca.Experiments(),
		lecturesparse.Experiments(),
		lewicki.Experiments(),
		nmfimplicit.Experiments(),
		s3c2011.Experiments(),
	}
}
