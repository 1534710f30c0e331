"""Writes the tables of this folder and what pandas makes of them, expected.json:

    python3 expected.py         # with pip install pandas==3.1.1

Each case is a call of package frame with its arguments, and the table that pandas gives, column by column.
"""
import csv
import json
import math
import os
import random
import sys

import pandas as pd

os.chdir(os.path.dirname(os.path.abspath(__file__)))


def write(name, header, rows):
    with open(name + ".csv", "w", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(header)
        w.writerows(rows)


def tables():
    r = random.Random(7)
    rows = []
    for i in range(180):  # holes of three kinds, -999 among them, outliers, days
        site = ["North", "Harbour", "School", "Motorway", ""][i % 5 if i % 7 else 4]
        temp = ["", "NA", "-999", "-999.0", f"{r.gauss(11, 6):.2f}"][min(4, int(r.random() * 20))]
        no2 = "" if r.random() < .15 else f"{r.expovariate(1 / 20):.3f}"
        rows.append([f"2024-{1 + i // 30:02d}-{1 + i % 28:02d}", site, temp, no2, "" if i % 11 == 0 else i % 4])
    write("air", ["date", "site", "temp", "no2", "level"], rows)
    write("ties", ["group", "score", "half"], [[g, s, h] for g, s, h in zip("ababababcc", [3, 1, 3, 1, 3, 2, 2, 1, 5, ""], [.5, .5, 1.5, .5, 1.5, 2.5, .5, .5, "", 1])])
    write("german", ["tag", "wert"], [[d, i] for i, d in enumerate(["31.12.2023", "1.1.2024", "", "29.02.2024", "05.03.2024", "30.12.2024"])])
    write("stamps", ["at", "x"], [[t, i * i] for i, t in enumerate(["2024-05-06 12:30:00", "2024-05-06 00:00:00", "", "2023-01-01 23:59:59"])])
    write("notes", ["who", "note", "n"], [["Ann", "two\nlines", 1], ["Bo", 'said "yes", twice', 2], ["Ann", "", 3], ["Čapek", "two\nlines", ""], ["", "NaN", 5], ["Bo", "  ", 6]])
    write("flags", ["ok", "kind"], [["True", "x"], ["False", "y"], ["", "x"], ["True", "None"], ["True", "y"]])
    write("lonely", ["k", "a", "b", "c"], [["one", 1, "", ""], ["two", "", "", 2], ["two", 3, "", ""], ["three", "", "", ""], ["", 7, "", 4]])
    write("scales", ["k", "v"], [[1, 1e-300], [1, -0.0], [2, 1e12 + .25], [2, 1e12 + .5], [2, 1e12 + .75], [-3, "inf"], [-3, 4], [10, "1E5"], [10, ".5"]])
    write("orders", ["id", "customer", "city", "sum"], [[i, c, t, s] for i, (c, t, s) in enumerate([(1, "Oslo", 5.5), (2, "Bergen", 7), (1, "Oslo", ""), ("", "Oslo", 3), (9, "Bodø", 1), (4, "", 2), (2, "Oslo", 8)])])
    write("customers", ["customer", "city", "name", "sum"], [[1, "Oslo", "Kari", 10], [2, "Bergen", "Ola", ""], [4, "", "Nina", 30], [5, "Oslo", "Per", 40], ["", "Bergen", "Liv", 50], [1, "Oslo", "Kari 2", 60]])


def read(name):
    return pd.read_csv(name + ".csv", na_values=["-999"] if name == "air" else None, dtype_backend="numpy_nullable" if name == "flags" else pd.api.extensions.no_default)


def plain(v):
    if v is None or v is pd.NA or v is pd.NaT or isinstance(v, float) and math.isnan(v):
        return None
    if hasattr(v, "item"):
        return plain(v.item())
    if isinstance(v, float) and math.isinf(v):
        return "inf" if v > 0 else "-inf"
    return v


cases = []


def case(file, call, args, df):
    cases.append({"file": file, "call": call, "args": args, "rows": len(df), "table": [[str(c), [plain(v) for v in df[c]]] for c in df.columns]})


STATS = {"mean": "mean", "median": "median", "sd": "std", "min": "min", "max": "max", "sum": "sum", "count": "count", "distinct": "nunique"}


def describe(file):
    df = read(file)
    rows = []
    for c in df.columns:
        s = df[c]
        row = {"column": c, "count": s.count(), "missing": s.isna().sum(), "distinct": s.nunique()}
        number = pd.api.types.is_numeric_dtype(s)
        x = s.astype("float64") if number else None
        for name, f in {"mean": lambda: x.mean(), "sd": lambda: x.std(), "min": lambda: x.min(), "q25": lambda: x.quantile(.25), "median": lambda: x.median(),
                        "q75": lambda: x.quantile(.75), "max": lambda: x.max()}.items():
            row[name] = f() if number else None
        row["top_count"] = None if number or s.count() == 0 else s.value_counts().iloc[0]
        rows.append(row)
    t = pd.DataFrame(rows)
    if all(pd.api.types.is_numeric_dtype(df[c]) for c in df.columns):
        t = t.drop(columns="top_count")
    case(file, "Describe", [], t)


def by(file, keys, columns):
    df = read(file)
    g = df.groupby(keys, dropna=False, sort=True)
    out = g.size().rename("rows").to_frame()
    for c in columns:
        for name, f in STATS.items():
            out[c + "_" + name] = getattr(g[c], f)()
        out[c + "_q90"] = g[c].quantile(.9)
        out[c + "_first"] = g[c].first()
        out[c + "_last"] = g[c].last()
        if df[c].isna().any():
            out[c + "_missing"] = g[c].apply(lambda s: s.isna().sum())
    case(file, "By", [keys, columns], out.reset_index())


def counts(file, column):
    s = read(file)[column]
    n = s.value_counts()
    t = pd.DataFrame({column: n.index, "count": n.values, "share": s.value_counts(normalize=True).values})
    t = t.sort_values(["count", column], ascending=[False, True])
    if s.isna().any():
        t = pd.concat([t, pd.DataFrame({column: [None], "count": [s.isna().sum()], "share": [None]})])
    case(file, "ValueCounts", [column], t)


def cut(file, column, edges, names):
    s = pd.cut(read(file)[column], edges, include_lowest=True, labels=names)
    case(file, "Cut", [column, edges, names], pd.DataFrame({column + "_bin": s.astype(object)}))


def pivot(file, rows, columns, name, column):
    df = read(file).dropna(subset=[rows, columns])
    t = df.pivot_table(index=rows, columns=columns, values=column, aggfunc=STATS[name], dropna=False, observed=False)
    case(file, "Pivot", [rows, columns, name, column], t.reset_index())


def join(kind, keys):
    left, right = read("orders"), read("customers")
    inner = left.dropna(subset=keys).merge(right.dropna(subset=keys), on=keys, suffixes=("_left", "_right"))
    t = inner
    lost_l = left[left[keys].isna().any(axis=1) | ~left.set_index(keys).index.isin(right.dropna(subset=keys).set_index(keys).index)]
    lost_r = right[right[keys].isna().any(axis=1) | ~right.set_index(keys).index.isin(left.dropna(subset=keys).set_index(keys).index)]
    same = [c for c in left.columns if c in right.columns and c not in keys]
    if kind in ("left", "outer"):
        t = pd.concat([t, lost_l.rename(columns={c: c + "_left" for c in same})])
    if kind in ("right", "outer"):
        t = pd.concat([t, lost_r.rename(columns={c: c + "_right" for c in same})])
    # pandas' own merge, where no key is missing
    own = left.dropna(subset=keys).merge(right.dropna(subset=keys), on=keys, how=kind, suffixes=("_left", "_right"))
    full = t.dropna(subset=keys)[own.columns]
    assert sorted(map(str, full.astype(object).where(full.notna(), None).values.tolist())) == sorted(map(str, own.astype(object).where(own.notna(), None).values.tolist())), kind
    case("orders", "Join", [kind, keys, len(inner), len(lost_l), len(lost_r)], t)


def main():
    tables()
    for f in ["air", "ties", "german", "stamps", "notes", "flags", "lonely", "scales", "orders", "customers"]:
        describe(f)
    by("air", ["site"], ["temp", "no2", "level"])
    by("air", ["level", "site"], ["no2"])
    by("ties", ["group"], ["score", "half"])
    by("notes", ["who"], ["n"])
    by("lonely", ["k"], ["a", "b", "c"])
    by("scales", ["k"], ["v"])
    by("orders", ["customer", "city"], ["sum"])
    for f, c in [("air", "site"), ("air", "level"), ("ties", "score"), ("notes", "note"), ("notes", "who"), ("flags", "ok"), ("lonely", "k"), ("scales", "k"), ("customers", "customer")]:
        counts(f, c)
    cut("air", "temp", [-10.0, 0.0, 5.0, 10.0, 20.0], ["a", "b", "c", "d"])
    cut("ties", "score", [1.0, 2.0, 3.0], ["low", "high"])
    air = read("air")["no2"]
    edges = list(air.quantile([0, .25, .5, .75, 1]))
    case("air", "Quantiles", ["no2", 4], pd.DataFrame({"edges": edges}))
    cut("air", "no2", edges, ["q1", "q2", "q3", "q4"])
    pivot("air", "site", "level", "mean", "temp")
    pivot("air", "level", "site", "median", "no2")
    pivot("orders", "city", "customer", "max", "sum")
    for f, cols in [("air", None), ("air", ["temp", "no2"]), ("notes", ["who"]), ("lonely", None), ("orders", ["customer"])]:
        case(f, "DropMissing", cols or [], read(f).dropna(subset=cols))
    for f in ["air", "notes", "lonely", "orders"]:
        case(f, "FillForward", [], read(f).ffill())
        case(f, "FillBackward", [], read(f).bfill())
    case("air", "FillStat", ["mean", "temp", "no2"], read("air").assign(temp=lambda d: d.temp.fillna(d.temp.mean()), no2=lambda d: d.no2.fillna(d.no2.mean())))
    case("air", "FillStat", ["median", "level"], read("air").assign(level=lambda d: d.level.fillna(d.level.median())))
    case("notes", "Fill", ["?", "who", "note"], read("notes").fillna({"who": "?", "note": "?"}))
    for f, c, form in [("air", "date", "%Y-%m-%d"), ("german", "tag", "%d.%m.%Y"), ("stamps", "at", "%Y-%m-%d %H:%M:%S")]:
        s = pd.to_datetime(read(f)[c], format=form)
        t = pd.DataFrame({c: s.dt.strftime("%Y-%m-%dT%H:%M:%SZ" if f == "stamps" else "%Y-%m-%d"), c + "_year": s.dt.year, c + "_month": s.dt.month, c + "_day": s.dt.day, c + "_weekday": s.dt.day_of_week + 1})
        if f == "stamps":
            t[c + "_hour"] = s.dt.hour
        case(f, "Dates", [c], t)
    case("ties", "OneHot", ["group"], pd.get_dummies(read("ties"), columns=["group"], prefix_sep="=", dtype=int))
    for kind in ["inner", "left", "right", "outer"]:
        join(kind, ["customer"])
        join(kind, ["customer", "city"])
    out = {"origin": f"pandas {pd.__version__}, Python {sys.version.split()[0]}: testdata/expected.py", "cases": cases}
    text = json.dumps(out, ensure_ascii=False, allow_nan=False, separators=(",", ":")).replace('{"file"', '\n{"file"')
    if len(sys.argv) > 1 and sys.argv[1] == "-":
        print(text)
    else:
        with open("expected.json", "w") as f:
            f.write(text + "\n")


main()
