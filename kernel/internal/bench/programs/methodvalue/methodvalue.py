class Vec:
    __slots__ = ("x", "y", "z")

    def __init__(self, x, y, z):
        self.x, self.y, self.z = x, y, z

    def add(self, w):
        return Vec(self.x + w.x, self.y + w.y, self.z + w.z)

    def scale(self, f):
        return Vec(f * self.x, f * self.y, f * self.z)

    def dot(self, w):
        return self.x * w.x + self.y * w.y + self.z * w.z


def run(n):
    p, v = Vec(1.0, 0.0, 0.0), Vec(0.0, 1.0, 0.5)
    s = 0.0
    for _ in range(n):
        v = v.add(p.scale(-0.01))
        p = p.add(v.scale(0.01))
        s += p.dot(v)
    return s
