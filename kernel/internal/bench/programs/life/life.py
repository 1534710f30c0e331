def step(board, to):
    n = len(board)
    for y in range(n):
        for x in range(n):
            neighbors = 0
            for dy in (-1, 0, 1):
                row = board[(y + dy) % n]
                for dx in (-1, 0, 1):
                    if (dx != 0 or dy != 0) and row[(x + dx) % n]:
                        neighbors += 1
            to[y][x] = neighbors == 3 or neighbors == 2 and board[y][x]


def run(n):
    board, to = [], []
    seed = 1
    for _ in range(n):
        row = []
        for _ in range(n):
            seed = (seed * 1103515245 + 12345) & 0x7FFFFFFF
            row.append((seed >> 16) % 3 == 0)
        board.append(row)
        to.append([False] * n)
    for _ in range(20):
        step(board, to)
        board, to = to, board
    total = 0
    for y in range(n):
        for x in range(n):
            if board[y][x]:
                total += x + 7 * y
    return total
