def run(n):
    parts = []
    for i in range(n):
        parts.append(str(i))
        parts.append(",")
    s = "".join(parts)
    return len(s) + s.count(",")
