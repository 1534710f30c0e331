// Package archive reads the containers of data sets: gzip, tar and zip. It
// treats all input as hostile.
//
//   - Nothing is written to disk: members are passed to a function as readers.
//   - Names are data. They are compared with the names that a loader expects
//     and never used as paths.
//   - Every size has a limit, which applies to the OUTPUT of the decompressor,
//     not to sizes in a header. A reader beyond its limit fails with [ErrLimit] instead of
//     just ending.
//   - Memory use does not depend on sizes in a header: [ReadExactly] grows
//     with the bytes that arrive.
//   - The bytes after the last member are read too, because gzip's checksum is
//     at the very end.
//
// # Trap
//
// A tar may contain sparse files, which unpack from a few bytes to any number of zeros. The limits count the
// unpacked bytes of a member, so sparse files fail like any other decompression bomb.
package archive
