package frame

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/given"
)

// Matrix returns the named columns of df as an n×d matrix, with one row for each row of df. Without names, it
// returns all columns of numbers and bools. A bool becomes 0 or 1. It is an error if a value is missing.
func Matrix(df dataframe.DataFrame, columns ...string) (*mat.Dense, error) {
	const fn = "Matrix"
	list, err := read(fn, df, columns, isNumeric)
	if err != nil {
		return nil, err
	}
	for _, c := range list {
		if err := c.numbers(fn); err != nil {
			return nil, fmt.Errorf("%w: OneHot and Labels make numbers of them", err)
		}
		if err := c.checkFull(fn); err != nil {
			return nil, err
		}
	}
	if df.Nrow() == 0 || len(list) == 0 {
		return nil, fmt.Errorf("frame: %s: the frame has %d rows and %d columns of numbers", fn, df.Nrow(), len(list))
	}
	X := mat.NewDense(df.Nrow(), len(list), nil)
	for j, c := range list {
		X.SetCol(j, c.x)
	}
	return X, nil
}

// FromMatrix returns a frame with the columns of X (n×d) under the given names. Without names, the columns
// are called X0, X1, ... NaN becomes a missing value.
func FromMatrix(X mat.Matrix, names ...string) (dataframe.DataFrame, error) {
	const fn = "FromMatrix"
	given.Args("frame: "+fn, "X", X)
	n, d := X.Dims()
	if len(names) > 0 && len(names) != d {
		panic(fmt.Sprintf("frame: %s: %d names of the columns of a %d×%d matrix", fn, len(names), n, d))
	}
	if n == 0 || d == 0 {
		return dataframe.DataFrame{}, fmt.Errorf("frame: %s: X is %d×%d", fn, n, d)
	}
	all := make([]series.Series, d)
	for j := range all {
		name := fmt.Sprint("X", j)
		if len(names) > 0 {
			name = names[j]
		}
		all[j] = series.New(mat.Col(nil, j, X), series.Float, name)
	}
	return newFrame(fn, all...)
}

// Labels returns the values of a column as classes 0, 1, ..., in the form that package classify takes, and
// the names of the classes in ascending order. It is an error if a value is missing. For new rows, use LabelsOf.
func Labels(df dataframe.DataFrame, name string) (y []int, classes []string, err error) {
	const fn = "Labels"
	list, err := read(fn, df, []string{name}, nil)
	if err != nil {
		return nil, nil, err
	}
	if err := list[0].checkFull(fn); err != nil {
		return nil, nil, err
	}
	first, of := list[0].levels()
	return of, list[0].words(first), nil
}

// OneHot returns df with each of the columns replaced by one column for each of its values. For example, the column
// named site=North is 1 in the rows whose site is North, and 0 elsewhere. It is an error if a value is missing. For new rows, use OneHotLike.
func OneHot(df dataframe.DataFrame, columns ...string) (dataframe.DataFrame, error) {
	return oneHot("OneHot", df, df, columns)
}

// OneHotLike does to df what OneHot does to train: the columns that replace each column are those of the values in
// train, in the same order. Use it for new rows. A value that train does not have is 0 in all of them. It is an error
// if a value is missing.
func OneHotLike(df, train dataframe.DataFrame, columns ...string) (dataframe.DataFrame, error) {
	return oneHot("OneHotLike", df, train, columns)
}

func oneHot(fn string, df, train dataframe.DataFrame, columns []string) (dataframe.DataFrame, error) {
	all, err := read(fn, df, nil, anyType)
	if err != nil {
		return dataframe.DataFrame{}, err
	}
	if _, err := read(fn, df, columns, anyType); err != nil {
		return dataframe.DataFrame{}, err
	}
	if len(columns) == 0 {
		return dataframe.DataFrame{}, fmt.Errorf("frame: %s: no column is named", fn)
	}
	var out []series.Series
	for _, c := range all {
		if !slices.Contains(columns, c.name) {
			out = append(out, c.series)
			continue
		}
		known, err := read(fn, train, []string{c.name}, anyType)
		if err != nil {
			return dataframe.DataFrame{}, err
		}
		for _, c := range []*column{c, known[0]} {
			if err := c.checkFull(fn); err != nil {
				return dataframe.DataFrame{}, err
			}
		}
		first, _ := known[0].levels()
		words := c.words(allRows(df.Nrow()))
		for _, word := range known[0].words(first) {
			x := make([]int, len(words))
			for i, w := range words {
				x[i] = b2i(w == word)
			}
			out = append(out, series.New(x, series.Int, c.name+"="+word))
		}
	}
	return newFrame(fn, out...)
}

// LabelsOf returns the values of a column as the indices of these values in classes, such as the classes that Labels
// has returned for the training data. It is an error if a value is missing or not among classes.
func LabelsOf(df dataframe.DataFrame, name string, classes []string) (y []int, err error) {
	const fn = "LabelsOf"
	list, err := read(fn, df, []string{name}, nil)
	if err != nil {
		return nil, err
	}
	if err := list[0].checkFull(fn); err != nil {
		return nil, err
	}
	y = make([]int, df.Nrow())
	for i, w := range list[0].words(allRows(len(y))) {
		if y[i] = slices.Index(classes, w); y[i] < 0 {
			return nil, fmt.Errorf("frame: %s: row %d of column %q is %q, which is not among the %d classes", fn, i, name, w, len(classes))
		}
	}
	return y, nil
}

// Split divides the rows of df at random into two frames. share (0 to 1) is the fraction of the rows that go to the
// second frame, rounded to a whole number of rows. Both frames keep the order of df. The same seed selects the same
// rows.
//
//	train, test, err := frame.Split(df, 0.25, 1)
func Split(df dataframe.DataFrame, share float64, seed uint64) (first, second dataframe.DataFrame, err error) {
	const fn = "Split"
	if err := checkUsable(fn, df); err != nil {
		return first, second, err
	}
	if !(share >= 0 && share <= 1) {
		return first, second, fmt.Errorf("frame: %s: share is %v, must be 0 to 1", fn, share)
	}
	order := rand.New(rand.NewPCG(seed, 0x5eed)).Perm(df.Nrow())
	m := int(math.Round(share * float64(len(order))))
	slices.Sort(order[:m])
	slices.Sort(order[m:])
	if second, err = takeRows(fn, df, order[:m]); err == nil {
		first, err = takeRows(fn, df, order[m:])
	}
	return first, second, err
}
