"""Draws the figures of figures.md with the defaults of seaborn and matplotlib, and figures.png, which shows both.

Run it in a folder with air.csv, and with line.png, scatter.png and so on: the files that the page's cells save with
.Save("line.png") and so on. It needs seaborn, scikit-learn and pillow.
"""
import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
from PIL import Image
from sklearn.decomposition import PCA
from sklearn.manifold import TSNE
from sklearn.preprocessing import StandardScaler

dpi = 150
names = ["temp", "wind", "no2", "pm25", "ozone", "traffic"]
df = pd.read_csv("air.csv", na_values=["-999"], parse_dates=["date"]).dropna(subset=names)
df["month"] = df.date.dt.month
X = StandardScaler().fit_transform(df[names])

def axes(h=6):
    return plt.subplots(figsize=(8.5 / 2.54, h / 2.54), dpi=dpi, layout="constrained")[1]

def save(name):
    plt.savefig(f"seaborn-{name}.png", dpi=dpi)
    plt.close("all")

sns.lineplot(df, x="month", y="ozone", hue="site", errorbar=None, ax=axes()); save("line")
sns.scatterplot(df, x="temp", y="ozone", hue="site", ax=axes()); save("scatter")
sns.histplot(df, x="no2", hue="site", ax=axes()); save("histogram")
sns.boxplot(df, x="site", y="pm25", ax=axes()); save("box")
sns.violinplot(df, x="site", y="pm25", ax=axes()); save("violin")
sns.barplot(df.melt("site", ["no2", "pm25"]), x="site", y="value", hue="variable", errorbar="sd", ax=axes()); save("bars")
sns.heatmap(df[names].corr(), annot=True, ax=axes(7)); save("heat")
sns.pairplot(df, vars=names[1:5], hue="site", height=4.3 / 2.54); save("pairs")
size = [10, 30, 100, 300, 1000, 3000]
e = [0.31, 0.18, 0.11, 0.058, 0.034, 0.019]
ax = axes(); ax.errorbar(size, e, [0.07, 0.04, 0.02, 0.012, 0.006, 0.004]); ax.set(xscale="log", yscale="log", xlabel="n", ylabel="error"); save("loglog")
north = df[df.site == "North"].groupby("month")[["ozone", "temp"]].mean()
ax = axes(); ax.plot(north.ozone, "o-", label="ozone"); ax.set(xlabel="month", ylabel="ozone"); ax.legend()
ax = ax.twinx(); ax.plot(north.temp, "s-", color="C1", label="temperature"); ax.set_ylabel("temperature"); ax.legend(); save("twin")
pca = PCA().fit(X); Z = pca.transform(X); ax = axes(7)
ax.scatter(Z[:, 0], Z[:, 1])
for n, v in zip(names, pca.components_[:2].T * 4):
    ax.arrow(0, 0, *v, color="C1"); ax.text(*v, n)
ax.set(xlabel="PC 1", ylabel="PC 2"); save("biplot")
Y = TSNE(random_state=1).fit_transform(X); ax = axes()
sns.scatterplot(x=Y[:, 0], y=Y[:, 1], hue=df.site.to_numpy(), ax=ax); sns.move_legend(ax, "upper left", bbox_to_anchor=(1, 1)); save("places")

order = "line scatter histogram box violin bars heat pairs loglog twin biplot places".split()
width, gap = 320, 12

def load(path):
    im = Image.open(path).convert("RGB")
    return im.resize((width, round(im.height * width / im.width)), Image.LANCZOS)

rows = [[load(f) for n in order[i : i + 2] for f in (f"{n}.png", f"seaborn-{n}.png")] for i in range(0, 12, 2)]
sheet = Image.new("RGB", (4 * width + 2 * gap + 40, sum(max(i.height for i in r) + gap for r in rows)), "white")
y = 0
for r in rows:
    for i, x in zip(r, (0, width + gap, 2 * width + gap + 40, 3 * width + 2 * gap + 40)):
        sheet.paste(i, (x, y))
    y += max(i.height for i in r) + gap
sheet.quantize(48, dither=Image.Dither.NONE).save("figures.png", optimize=True)
