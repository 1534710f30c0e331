package picture

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// The tolerances of Compare, in gray levels of 0 to 255.
const (
	pixelTolerance = 0.1
	cellTolerance  = 2
)

// Compare reports whether two signatures describe the same picture, and if not, why.
//
// The size, the texts in their order (including numbers, which are compared as printed) and the counts must
// be the same. If the old signature has no texts and counts, only sizes and pixels are compared. The
// root-mean-square difference of all pixels, estimated from the sketches, may be a tenth of a gray level (of
// 255). Each cell of the thumbnail may differ by two levels.
//
// Measured on the hundred figures of the project's papers: if the computed numbers change by one part in 10⁹,
// the root mean square is 0 to 0.065; if they change by one part in twenty, the median is 11 and the minimum
// 0.5. A missing layer changes the counts, and another color of a series changes the legend, even if little
// of the series is visible. The same figure computed with another seed counts as another picture.
//
// Rounding can cause visible differences, which Compare reports: if data end exactly at a tick of the axis,
// rounding may add or remove the tick, and a point on the edge of the data area may be clipped.
func Compare(old, new Signature) (same bool, why string) {
	switch {
	case old.Width != new.Width || old.Height != new.Height:
		return false, fmt.Sprintf("the size is %d × %d, but was %d × %d", new.Width, new.Height, old.Width, old.Height)
	case old.Counts == nil: // the old signature has only the picture
	case !slices.Equal(old.Texts, new.Texts):
		return false, textDifference(old.Texts, new.Texts)
	default:
		if why := countDifference(old.Counts, new.Counts); why != "" {
			return false, why
		}
	}
	rms, err := pixelDifference(old, new)
	if err != nil {
		return false, err.Error()
	}
	largest, at, err := cellDifference(old.Cells, new.Cells)
	if err != nil {
		return false, err.Error()
	}
	if rms <= pixelTolerance && largest <= cellTolerance {
		return true, ""
	}
	why = fmt.Sprintf("the picture differs by %.2g of 255 levels (root mean square of the pixels)", rms)
	if largest > 0 {
		why += fmt.Sprintf(", most at %d %% from the left and %d %% from the top", (2*(at%Columns)+1)*50/Columns, (2*(at/Columns)+1)*50/Rows)
	}
	return false, why
}

// CompareKinds is like [Compare], but for pictures of the same kind with different numbers. It compares only the sizes
// of the pictures and those texts that contain no digits.
func CompareKinds(old, new Signature) (same bool, why string) {
	if old.Width != new.Width || old.Height != new.Height {
		return false, fmt.Sprintf("the size is %d × %d, but was %d × %d", new.Width, new.Height, old.Width, old.Height)
	}
	a, b := withoutDigits(old.Texts), withoutDigits(new.Texts)
	if old.Counts != nil && !slices.Equal(a, b) {
		return false, textDifference(a, b)
	}
	return true, ""
}

// withoutDigits returns the texts that contain no digits.
func withoutDigits(texts []string) []string {
	return slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return strings.ContainsAny(s, "0123456789") })
}

// textDifference describes the first difference between two unequal lists.
func textDifference(old, new []string) string {
	i := 0
	for i < len(old) && i < len(new) && old[i] == new[i] {
		i++
	}
	switch {
	case i == len(old), i+1 < len(new) && old[i] == new[i+1]:
		return fmt.Sprintf("the text %q is new", new[i])
	case i == len(new), i+1 < len(old) && old[i+1] == new[i]:
		return fmt.Sprintf("the text %q is missing", old[i])
	}
	return fmt.Sprintf("the text is %q, but was %q", new[i], old[i])
}

// countDifference describes the first difference between two maps of counts.
func countDifference(old, new map[string]int) string {
	keys := slices.Sorted(maps.Keys(old))
	for _, k := range slices.Sorted(maps.Keys(new)) {
		if _, ok := old[k]; !ok {
			keys = append(keys, k)
		}
	}
	for _, k := range keys {
		if old[k] != new[k] {
			return fmt.Sprintf("%s has %d parts, but had %d", k, new[k], old[k])
		}
	}
	return ""
}

// pixelDifference uses the sketches to estimate the root-mean-square difference between the pixels of two pictures.
func pixelDifference(old, new Signature) (float64, error) {
	if len(old.Sketch) != Projections || len(new.Sketch) != Projections || old.Width < 1 || old.Height < 1 {
		return 0, fmt.Errorf("a signature has no sketch of %d numbers", Projections)
	}
	s := 0.0
	for k := range Projections {
		d := float64(old.Sketch[k]) - float64(new.Sketch[k])
		s += d * d / Projections
	}
	return math.Sqrt(s / (3 * float64(old.Width) * float64(old.Height))), nil
}

// cellDifference compares two thumbnails. It returns the largest difference between corresponding cells, and
// the index of that cell.
func cellDifference(old, new string) (largest float64, at int, err error) {
	a, errA := unpackCells(old)
	b, errB := unpackCells(new)
	if err := errors.Join(errA, errB); err != nil {
		return 0, 0, fmt.Errorf("a signature has no thumbnail of %d × %d cells: %w", Columns, Rows, err)
	}
	for i := range a {
		if d := math.Abs(float64(a[i]) - float64(b[i])); d > largest {
			largest, at = d, i
		}
	}
	return largest, at, nil
}
