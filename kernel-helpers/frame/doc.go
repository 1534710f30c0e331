// Package frame makes gota's data frames of what queries and columnar files give.
//
//	db, err := sql.Open("sqlite", "measurements.db")
//	df, err := frame.Query(ctx, db, "SELECT site, avg(depth) FROM dives WHERE year > ? GROUP BY site", 1990)
//	df, err := frame.FromArrow(table) // of Parquet, by pqarrow
//
// A frame has columns of words (string), whole numbers (int), numbers (float) and truth values
// (bool), and a value may be missing. What else there is becomes one of these:
//
//   - NULL is missing, which gota writes as NaN;
//   - NUMERIC and DECIMAL, and the decimals of Arrow, become floats: digits beyond the 16th are lost;
//   - unsigned numbers above the largest int make a column of floats;
//   - times become words that sort: 2006-01-02 where a column has days only, else RFC 3339 with the
//     fraction that there is;
//   - bytes that are text become words, others words in hexadecimal, with \x in front as PostgreSQL has it;
//   - everything else becomes the word that fmt, or Arrow, writes.
//
// SQLite gives each value a type, not each column: whole numbers among floats become floats, and
// words among numbers make a column of words.
//
// # Traps
//
// All of the result is held in memory, several times over while it is converted: have the database count and
// average. gota takes the word "NaN" for a missing value. It gives columns of one name numbers:
// id_0, id_1.
//
// # Reading order
//
// rows.go (database/sql), arrow.go, column.go (from values to a series).
package frame
