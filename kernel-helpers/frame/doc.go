// Package frame makes gota's data frames from files, database queries, columnar files and matrices. It also cleans and
// summarizes frames, and handles missing values correctly. For readers who know pandas, docs/frames.md lists what to
// call here instead of the functions of pandas, and the traps of gota's own methods.
//
//	df, err := frame.ReadCSV("air.csv", nil)
//	frame.Describe(df)
//	frame.By(df, "site").Agg(frame.Mean("temp"), frame.Median("no2"))
//	df, err = frame.DropMissing(df, "temp", "no2")
//	X, err := frame.Matrix(df, "temp", "no2")
//
// Each function returns another frame and leaves its argument as it is. No statistic counts missing values, and each
// result says how many there are. If an earlier call left an error in a frame (its field Err), each function returns
// this error.
//
//	db, err := sql.Open("sqlite", "measurements.db")
//	df, err := frame.Query(ctx, db, "SELECT site, avg(depth) FROM dives WHERE year > ? GROUP BY site", 1990)
//	df, err := frame.FromArrow(table) // a table from a Parquet file, read with pqarrow
//
// A frame has columns of strings, ints, floats and bools, and values may be missing. Other types of a database, and of
// Arrow, are converted:
//
//   - NULL becomes a missing value, which gota prints as NaN;
//   - NUMERIC and DECIMAL, and Arrow's decimals, become floats: digits beyond the 16th are lost;
//   - unsigned numbers above the largest int turn the column into floats;
//   - times become strings that sort by time (in the years 0 to 9999): 2006-01-02 if the column has only dates,
//     else RFC 3339 with as many digits of fractional seconds as any time of the column needs. If the offsets
//     from UTC differ in the column, all its times become UTC;
//   - bytes become strings: unchanged if they are text, else \x and hexadecimal digits, as in PostgreSQL;
//   - all other types become the string that fmt, or Arrow, prints.
//
// In SQLite, each value has its own type. If a column mixes ints and floats, all become floats; if it contains a
// string, all become strings.
//
// # Traps
//
// The whole result is held in memory, and during conversion there are several copies. So let the database do
// aggregations. gota treats the string "NaN" as a missing value. If columns have the same name, gota adds numbers to
// their names: id_0, id_1.
//
// # Reading order
//
// columns.go (the form in which the other files read columns), stat.go, group.go (By, Agg, Pivot), describe.go,
// missing.go, cut.go, dates.go, join.go, matrix.go; csv.go, tabular.go (LaTeX), rows.go (database/sql), arrow.go,
// column.go (converts values to a series).
package frame
