package record

import "strings"

// Class returns the verdict as a name for styles and filters: reproduced, partial, failed or nodata.
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

// Own reports whether the row is a check of the project's own, with no published value.
func (r Row) Own() bool { return r.Published.Kind == KindNone }

// Called returns the verdict in the form that is shown. For the project's own checks it says whether the
// check holds or fails, because there is no source to reproduce.
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
