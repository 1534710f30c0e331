// Package snapshot writes the values of variables, with everything that they refer to, and reads them back: unexported
// fields too, pointers to one value as pointers to one value, and cycles.
//
// The reader must be the program that wrote the values, or one with the same types. Write refuses what cannot be the
// same again: functions, channels, locks, files, connections and the like; errors, and values in interfaces whose types
// cells declare; and memory that variables share in part, as a slice and a part of it.
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
// A slice is read back with a capacity of its length. A time.Time loses its monotonic clock, and its location is
// Local, UTC or an offset.
package snapshot
