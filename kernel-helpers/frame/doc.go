// Package frame makes gota's data frames from database queries and columnar files.
//
//	db, err := sql.Open("sqlite", "measurements.db")
//	df, err := frame.Query(ctx, db, "SELECT site, avg(depth) FROM dives WHERE year > ? GROUP BY site", 1990)
//	df, err := frame.FromArrow(table) // of Parquet, by pqarrow
//
// A frame has columns of strings, ints, floats and bools, and a value may be missing. Other types are
// converted:
//
//   - NULL is missing, which gota writes as NaN;
//   - NUMERIC and DECIMAL, and the decimals of Arrow, become floats: digits beyond the 16th are lost;
//   - unsigned numbers above the largest int turn the column into floats;
//   - times become strings that sort: 2006-01-02 if the column has only dates, else RFC 3339 with the
//     fraction, if any;
//   - bytes become strings: as they are if they are text, else in hexadecimal after \x, as in PostgreSQL;
//   - everything else becomes the string that fmt, or Arrow, writes.
//
// In SQLite each value has a type, not each column: ints among floats become floats, and a string among
// numbers makes a column of strings.
//
// # Traps
//
// The whole result is in memory, several times over during conversion: let the database count and average.
// gota takes the string "NaN" for a missing value. It numbers columns of the same name: id_0, id_1.
//
// # Reading order
//
// rows.go (database/sql), arrow.go, column.go (from values to a series).
package frame
