package frame

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"overcomplete/kernel-helpers/internal/given"
)

// A Querier runs a query on a database. *sql.DB, *sql.Conn and *sql.Tx are Queriers.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Query returns the whole result of a query as a data frame.
func Query(ctx context.Context, db Querier, query string, args ...any) (dataframe.DataFrame, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	given.Args("frame: Query", "db", db)
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return dataframe.DataFrame{}, fmt.Errorf("frame: Query: %w", err)
	}
	return FromRows(rows)
}

// FromRows returns the rows that remain in rows as a data frame, and closes rows. If no rows remain, the frame has no
// rows, and its columns have the types that the database declares.
func FromRows(rows *sql.Rows) (df dataframe.DataFrame, err error) {
	if rows == nil {
		return df, errors.New("frame: FromRows: rows is nil: look at the error of the query")
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	types, err := rows.ColumnTypes()
	if err != nil {
		return df, err
	}
	if len(types) == 0 {
		return df, errors.New("frame: FromRows: the statement gives no columns: use Exec for what is no query")
	}
	columns := make([]values, len(types))
	places := make([]any, len(types))
	for j, t := range types {
		columns[j] = values{name: t.Name(), declared: declaredType(t), decimal: isDecimal(t)}
	}
	for rows.Next() {
		row := make([]any, len(types))
		for j := range row {
			places[j] = &row[j]
		}
		if err := rows.Scan(places...); err != nil {
			return df, fmt.Errorf("frame: FromRows: row %d: %w", columns[0].len(), err)
		}
		for j, v := range row {
			columns[j].list = append(columns[j].list, v)
		}
	}
	if err := rows.Err(); err != nil {
		return df, fmt.Errorf("frame: FromRows: after %d rows: %w", columns[0].len(), err)
	}
	return join(columns)
}

// declaredType returns the series type for the declared type of a column. It is used if all values are missing.
func declaredType(t *sql.ColumnType) series.Type {
	if isDecimal(t) {
		return series.Float
	}
	scan := t.ScanType()
	if scan == nil {
		return series.String
	}
	switch scan {
	case reflect.TypeFor[sql.NullInt64](), reflect.TypeFor[sql.NullInt32](), reflect.TypeFor[sql.NullInt16]():
		return series.Int
	case reflect.TypeFor[sql.NullFloat64]():
		return series.Float
	case reflect.TypeFor[sql.NullBool]():
		return series.Bool
	}
	switch scan.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return series.Int
	case reflect.Float32, reflect.Float64:
		return series.Float
	case reflect.Bool:
		return series.Bool
	}
	return series.String
}

// isDecimal reports whether the database stores a column as decimal numbers, which drivers return as strings.
func isDecimal(t *sql.ColumnType) bool {
	name := strings.ToUpper(t.DatabaseTypeName())
	return strings.HasPrefix(name, "NUMERIC") || strings.HasPrefix(name, "DECIMAL")
}
