package frame

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"overcomplete/internal/columnar"
)

// FromArrow returns the data of a RecordBatch, Table, Column, Chunked or Array of Apache Arrow. Any version
// of Arrow works, because FromArrow recognizes the types by their methods, without importing Arrow. The frame
// is a copy; the source may be released.
func FromArrow(v any) (df dataframe.DataFrame, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("frame: FromArrow: a %T cannot be read: %v (was it released?)", v, r)
		}
	}()
	f, ok := columnar.FrameOf(v)
	if !ok {
		return df, fmt.Errorf("frame: FromArrow: a %T is not a RecordBatch, Table, Column, Chunked or Array of Arrow", v)
	}
	if len(f.Columns) == 0 {
		return df, fmt.Errorf("frame: FromArrow: the %T has no columns", v)
	}
	columns := make([]values, len(f.Columns))
	for j, c := range f.Columns {
		columns[j] = fromColumn(c)
	}
	return join(columns)
}

func fromColumn(c columnar.Column) values {
	v := values{name: c.Name, list: make([]any, c.Len()), declared: declaredArrow(c), decimal: c.Numeric()}
	for i := range v.list {
		if c.Null(i) {
			continue
		}
		switch x := c.Value(i).(type) {
		case int64, float64, bool, string, int32, int16, int8, uint64, uint32, uint16, uint8, float32:
			v.list[i] = x
		default: // decimals, lists, dates: the text that Arrow writes
			v.list[i] = c.Text(i)
			if strings.HasPrefix(c.Type, "timestamp") { // as from a database
				if t, err := time.Parse("2006-01-02 15:04:05Z0700", c.Text(i)); err == nil {
					v.list[i] = t
				}
			}
		}
	}
	return v
}

func declaredArrow(c columnar.Column) series.Type {
	switch {
	case c.Type == "bool":
		return series.Bool
	case !c.Numeric():
		return series.String
	case c.Type[0] == 'i' || c.Type[0] == 'u':
		return series.Int
	}
	return series.Float
}
