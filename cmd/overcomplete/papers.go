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

// declared returns the papers' declarations, in the order of their notebooks. Each paper has a line
// here, which "overcomplete new-paper" adds.
func declared() []lab.Paper {
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
