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

// Own reports whether the row is a check of the project's own, for which nothing was published.
func (r Row) Own() bool { return r.Published.Kind == KindNone }

// Called returns the verdict as it is shown. A check of the project's own has no source to
// reproduce: it holds or fails.
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
