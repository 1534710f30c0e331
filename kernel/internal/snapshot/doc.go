// Package snapshot writes the values of variables, with everything that they refer to, and reads them back.
// This includes unexported fields and cycles, and pointers to the same value are read back as pointers to the
// same value.
//
// The reader must be the program that wrote the values, or a program with the same types. Write refuses values
// that cannot be restored exactly:
//
//   - functions, channels, locks, files, connections and the like
//   - interfaces that hold an error, or a value of a type that a cell declares
//   - memory that variables share in part, such as a slice and a part of that slice
//
// # Files in reading order
//
//	snapshot.go  a snapshot of variables
//	write.go     a value as bytes
//	read.go      bytes as a value
//	types.go     types in interfaces, by name
//
// # Traps
//
// The capacity of a slice that is read back is the slice's length. A time.Time loses its monotonic clock, and
// its location is Local, UTC or an offset.
package snapshot
