# The least that Python can do with a line: read it, and write a short one.
import os

while True:
    piece = os.read(0, 65536)
    if not piece:
        break
    ends = piece.count(b"\n")
    if ends:
        os.write(1, b"ok\n" * ends)
