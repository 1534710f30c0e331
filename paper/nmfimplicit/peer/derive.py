"""Differentiates factorizations with jaxopt, as the post describes it.

    python3 derive.py < problems.json > jaxopt.json

problems.json has factorizations A ≈ UW' with zero KKT residual (A n×d, U n×k, W d×k, row by row) and a matrix G
(n×d). For each the result has, by jax in double precision on the processor:

    map        the largest element of F, the post's step (1), in units of ‖A‖(‖U‖ + ‖W‖)
    singular   the singular values of ∂₁F, largest first
    gradients  the gradient of ⟨G, UW'⟩ in A, row by row, by jaxopt.implicit_diff.custom_root with F, for
               several linear solvers; null where a solver's result has a NaN or Inf
    sum        the gradient of ΣU by jaxopt's default solver, with nothing that fixes the scales
    sum_scaled the same at the factorization (2U, W/2), which has the same product
"""
import hashlib
import importlib.metadata
import json
import os
import platform
import sys
from functools import partial

os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxopt import implicit_diff, linear_solve

jax.config.update("jax_enable_x64", True)


def optimality(solution, A):
    """F((U, W, Ū, W̄), A) of the post's step (1)."""
    U, W, Ubar, Wbar = solution
    return ((U @ W.T - A) @ W - Ubar, (W @ U.T - A.T) @ U - Wbar, Ubar * U, Wbar * W)


# custom_root's own default is the first, with the tolerance of jax's conjugate gradients, 1e-5.
SOLVERS = {
    "normal CG": linear_solve.solve_normal_cg,
    "normal CG, 1e-12": partial(linear_solve.solve_normal_cg, tol=1e-12, maxiter=20_000),
    "CG": linear_solve.solve_cg,
    "CG, 1e-12": partial(linear_solve.solve_cg, tol=1e-12, maxiter=20_000),
}


def gradient(of, solution, A, solve=None):
    """The gradient of of(U, W) in A through jaxopt's decorator; the decorated solver returns the known solution."""
    options = {} if solve is None else {"solve": solve}

    @implicit_diff.custom_root(optimality, **options)
    def factorize(init, A):
        return solution

    g = jax.grad(lambda A: of(*factorize(None, A)[:2]))(A)
    return [float(f"{v:.10g}") for v in np.asarray(g).ravel()] if bool(jnp.isfinite(g).all()) else None


def examine(p):
    n, d, k = p["n"], p["d"], p["k"]
    A, U, W, G = (jnp.array(p[name]).reshape(shape) for name, shape in (("A", (n, d)), ("U", (n, k)), ("W", (d, k)), ("G", (n, d))))

    def at(U, W):
        return U, W, (U @ W.T - A) @ W, (W @ U.T - A.T) @ U

    solution = at(U, W)
    norm = jnp.linalg.norm
    F = max(float(jnp.abs(f).max()) for f in optimality(solution, A))
    flat, rebuild = ravel_pytree(solution)
    J = jax.jacobian(lambda v: ravel_pytree(optimality(rebuild(v), A))[0])(flat)
    total = lambda U, W: U.sum()
    return {
        "map": float(f"{F / float(norm(A) * (norm(U) + norm(W))):.3g}"),
        "singular": [float(f"{s:.10g}") for s in np.linalg.svd(np.asarray(J), compute_uv=False)],
        "gradients": {name: gradient(lambda U, W: jnp.vdot(G, U @ W.T), solution, A, solve) for name, solve in SOLVERS.items()},
        "sum": gradient(total, solution, A),
        "sum_scaled": gradient(total, at(2 * U, W / 2), A),
    }


if __name__ == "__main__":
    text = sys.stdin.buffer.read()
    with open(__file__, "rb") as f:
        script = f.read()
    json.dump({
        "versions": {"python": platform.python_version(), **{m: importlib.metadata.version(m) for m in ("jax", "jaxlib", "jaxopt", "numpy", "scipy")}},
        "machine": platform.machine(),
        "script_sha256": hashlib.sha256(script).hexdigest(),
        "problems_sha256": hashlib.sha256(text).hexdigest(),
        "results": [examine(p) for p in json.loads(text)],
    }, sys.stdout, indent=None, separators=(",", ":"))
    print()
