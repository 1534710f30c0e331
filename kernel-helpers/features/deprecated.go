package features

import "context"

// Build does what BuildShards does.
//
// Deprecated: use BuildShards.
func Build(ctx context.Context, folder string, l Layout, opt BuildOptions, rows func(dst []float32, from, to int) error) (*Report, error) {
	return BuildShards(ctx, folder, l, rows, &opt)
}

// Open does what OpenShards does.
//
// Deprecated: use OpenShards.
func Open(opt OpenOptions, folders ...string) (*Matrix, error) { return OpenShards(folders, &opt) }
