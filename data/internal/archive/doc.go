// Package archive reads the containers of data sets: gzip, tar and zip. It
// treats all input as hostile.
//
//   - Nothing is written to disk: members are passed to a function as readers.
//   - Names are data. They are compared with the names that a loader expects
//     and never used as paths.
//   - Every size has a limit, on what comes OUT of the decompressor and not on
//     what a header says. A reader beyond its limit fails with [ErrLimit] instead of
//     just ending.
//   - No memory is allocated because a header asks for it: [ReadExactly] grows
//     with the bytes that arrive.
//   - The bytes after the last member are read too, because gzip's checksum is
//     at the very end.
//
// # Trap
//
// A tar may hold sparse files, which unpack to any number of zeros from a few
// bytes. The limits count what a member yields, so that these fail like any
// other bomb.
package archive
