from math import sqrt


class Body:
    def __init__(self, x, y, z, vx, vy, vz, mass):
        self.x, self.y, self.z = x, y, z
        self.vx, self.vy, self.vz = vx, vy, vz
        self.mass = mass


def advance(bodies, dt):
    for i, a in enumerate(bodies):
        for b in bodies[i + 1:]:
            dx, dy, dz = a.x - b.x, a.y - b.y, a.z - b.z
            d2 = dx * dx + dy * dy + dz * dz
            mag = dt / (d2 * sqrt(d2))
            a.vx -= dx * b.mass * mag
            a.vy -= dy * b.mass * mag
            a.vz -= dz * b.mass * mag
            b.vx += dx * a.mass * mag
            b.vy += dy * a.mass * mag
            b.vz += dz * a.mass * mag
    for b in bodies:
        b.x += dt * b.vx
        b.y += dt * b.vy
        b.z += dt * b.vz


def energy(bodies):
    e = 0.0
    for i, a in enumerate(bodies):
        e += 0.5 * a.mass * (a.vx * a.vx + a.vy * a.vy + a.vz * a.vz)
        for b in bodies[i + 1:]:
            dx, dy, dz = a.x - b.x, a.y - b.y, a.z - b.z
            e -= a.mass * b.mass / sqrt(dx * dx + dy * dy + dz * dz)
    return e


def run(n):
    bodies = [
        Body(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 39.5),
        Body(4.8, -1.2, -0.1, 0.6, 2.8, -0.02, 0.038),
        Body(8.3, 4.1, -0.4, -1.0, 1.8, 0.008, 0.011),
        Body(12.9, -15.1, -0.2, 1.1, 0.9, -0.01, 0.0017),
        Body(15.4, -25.9, 0.2, 1.0, 0.6, -0.03, 0.002),
    ]
    for _ in range(n):
        advance(bodies, 0.001)
    return energy(bodies)
