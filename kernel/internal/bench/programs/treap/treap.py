class Node:
    __slots__ = ("key", "value", "priority", "left", "right")

    def __init__(self, key, value, priority):
        self.key, self.value, self.priority = key, value, priority
        self.left = self.right = None


def set_in(n, key, value, priority):
    if n is None:
        return Node(key, value, priority)
    if key < n.key:
        n.left = l = set_in(n.left, key, value, priority)
        if l.priority > n.priority:
            n.left, l.right = l.right, n
            return l
    elif key > n.key:
        n.right = r = set_in(n.right, key, value, priority)
        if r.priority > n.priority:
            n.right, r.left = r.left, n
            return r
    else:
        n.value = value
    return n


def each_in(n, f):
    if n is not None:
        each_in(n.left, f)
        f(n.key, n.value)
        each_in(n.right, f)


class Tree:
    def __init__(self, seed):
        self.root, self.seed = None, seed

    def set(self, key, value):
        self.seed = (self.seed * 1103515245 + 12345) & 0x7FFFFFFF
        self.root = set_in(self.root, key, value, self.seed >> 8)

    def get(self, key):
        n = self.root
        while n is not None:
            if key < n.key:
                n = n.left
            elif key > n.key:
                n = n.right
            else:
                return n.value, True
        return None, False

    def each(self, f):
        each_in(self.root, f)


def run(n):
    t = Tree(7)
    seed = 1
    for i in range(n):
        seed = (seed * 1103515245 + 12345) & 0x7FFFFFFF
        t.set((seed >> 8) % (2 * n), float(i))
    total = 0
    for i in range(n):
        v, found = t.get(i)
        if found:
            total += int(v) % 1009
    i = 0

    def add(key, value):
        nonlocal total, i
        total += i * key % 1009
        i += 1

    t.each(add)
    return total
