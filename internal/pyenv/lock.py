"""Writes each list anew, frontends.txt of what frontends.in names, with the newest versions and with
all that those need:

    python3 lock.py          # with uv on the path (pip install uv)

The lists are for Python 3.11 and later on Linux and on Apple's processors, and have the checksum
of each wheel that those may take: uv's own list has those of all systems, and is five times as long.
"""
import os
import re
import subprocess
import tempfile
import tomllib

PYTHONS = ("311", "312", "313", "314")


def wanted(wheel):
    python, abi, platform = wheel.removesuffix(".whl").rsplit("-", 3)[1:]
    if platform == "any":
        return "py3" in python or "py2.py3" in python
    if not re.search(r"manylinux.*_(x86_64|aarch64)|macosx.*_(arm64|universal2)", platform):
        return False
    if abi in ("abi3", "none"):
        return True
    return abi in {"cp" + p for p in PYTHONS}


def lock(name):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "pylock.toml")
        subprocess.run(["uv", "pip", "compile", "--quiet", "--universal", "--python-version", "3.11",
                        "--format", "pylock.toml", name + ".in", "-o", out], check=True)
        with open(out, "rb") as f:
            packages = tomllib.load(f)["packages"]
    lines = [f"# Written by lock.py, of {name}.in."]
    for p in sorted(packages, key=lambda p: (p["name"], p["version"])):
        if re.search(r"sys_platform == 'win32'|os_name == 'nt'|implementation_name == '[Pp]y[Pp]y'", p.get("marker", "")) and " or " not in p["marker"]:
            continue
        wheels = [w for w in p.get("wheels", []) if wanted(w.get("name") or w["url"].rsplit("/", 1)[1])]
        if not wheels:
            raise SystemExit(f"{p['name']} {p['version']} has no wheel: {[w['url'].rsplit('/', 1)[1] for w in p.get('wheels', [])][:5]}")
        marker = " ; " + p["marker"] if "marker" in p else ""
        sums = sorted({w["hashes"]["sha256"] for w in wheels})
        lines.append(" \\\n    ".join([f"{p['name']}=={p['version']}{marker}"] + ["--hash=sha256:" + s for s in sums]))
    with open(name + ".txt", "w") as f:
        f.write("\n".join(lines) + "\n")


os.chdir(os.path.dirname(os.path.abspath(__file__)))
for name in ("frontends", "peers", "torch", "jax"):
    lock(name)
