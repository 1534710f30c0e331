// Package data is the registry of the real data sets: it describes them, finds them on this machine,
// downloads them, and checks that they are intact. The packages under it (mnist, cifar, faces, letters,
// reviews, natural, ecg, fsdd) read one set each.
//
//	imgs, err := mnist.Load()                       // a loader: finds, checks, reads
//	err = data.Get(ctx, "mnist", data.Options{})    // what 'overcomplete data get mnist' does
//
// # Where
//
// The package looks for files in the folder that OVERCOMPLETE_DATA names, if it is set, and then in
// overcomplete/data in the user's cache (os.UserCacheDir). If the variable is set to the empty
// string, there is no real data at all, whatever is in the cache. Tests use that.
//
// Only [Get] uses the network, and only the command line calls Get: a notebook never downloads anything
// silently. If its file is missing, a loader returns an error that wraps [ErrAbsent] and names the three ways
// to get it.
//
// # What is checked
//
// The same content may come in another container: repacking a tar or gzip file changes its bytes. A file passes if its
// SHA-256 is one of File.SHA256 (the known containers), or if its content agrees with the checksums in File.Content.
// These are checksums of the members of an archive, of the decompressed bytes, or of the values of an array in a MATLAB
// file. Any other file causes an error that wraps [ErrDamaged]. The checksums of members are in sums/*.sha256, in the
// format of sha256sum, computed from the files that produced the results of this project.
//
// # Downloads
//
// A download goes to NAME.part and is renamed only when it is complete and its content has passed. Next to
// it, NAME.part.json records the address and version (ETag or date) of the bytes. The next Get continues
// where an interrupted one stopped if the server still has that version (Range with If-Range), and otherwise
// starts afresh. Content that does not pass is removed. If two processes download the same file, the second
// waits until the first has finished, and then uses its file. (This needs flock; on systems without flock,
// each download has its own .part file and never resumes another download.)
//
// # Traps
//
// [Path] does not check the content; [Open] checks it each time, which costs about a second for the largest
// set. Terms of use differ between sets (Set.License): most ask for a citation. This project distributes none
// of the sets.
package data
