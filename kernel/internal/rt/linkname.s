// This file is empty: with it in the package, the compiler lets functions be
// declared without a body, whose code the linker finds by their linknames.
