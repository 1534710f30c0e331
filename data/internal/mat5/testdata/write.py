"""Writes scipy-0.mat and scipy-1.mat, the second compressed: python3 write.py. Written here by SciPy 1.10.1."""
import numpy as np
import scipy.io

for compressed in (False, True):
    scipy.io.savemat("scipy-%d.mat" % compressed, {
        "text": "hello", "X": np.arange(12.0).reshape(3, 4) / 8, "u": np.arange(6, dtype=np.uint8).reshape(2, 3),
    }, do_compression=compressed)
