// Package archive reads what data sets are packed in: gzip, tar and zip. It
// treats all of it as hostile.
//
//   - Nothing is written to disk: members are handed to a function as readers.
//   - Names are data. They are compared with the names that a loader expects
//     and never used as paths.
//   - Every size has a limit, on what comes OUT of the decompressor and not on
//     what a header says. A reader beyond its limit fails with [ErrLimit]; it
//     does not just end.
//   - No memory is set aside because a header asks for it: [ReadExactly] grows
//     with the bytes that arrive.
//   - What follows the last member is read too, because gzip's checksum stands
//     at the very end.
//
// # Trap
//
// A tar may hold sparse files, which unpack to any number of zeros from a few
// bytes. The limits count what a member yields, so that these fail like any
// other bomb.
package archive
