package record

import "strings"

// Class returns a lower-case name of the verdict, which reports use for styles and filters: reproduced, partial,
// failed or nodata.
func (v Verdict) Class() string {
	switch v {
	case Reproduced:
		return "reproduced"
	case Partial:
		return "partial"
	case NotReproduced:
		return "failed"
	}
	return "nodata"
}

// Own reports whether the row is one of the project's own checks, which have no published value.
func (r Row) Own() bool { return r.Published.Kind == KindNone }

// Called returns the verdict in lower-case words, as reports show it. For the project's own checks, which reproduce no
// source, it says holds, partly holds or fails.
func (r Row) Called() string {
	if r.Own() {
		switch r.Verdict {
		case Reproduced:
			return "holds"
		case Partial:
			return "partly holds"
		case NotReproduced:
			return "fails"
		}
	}
	return strings.ToLower(string(r.Verdict))
}
