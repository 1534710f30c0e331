//go:build !unix && !windows

package cputime

import "time"

func used() time.Duration { return 0 }

func own() time.Duration { return 0 }
