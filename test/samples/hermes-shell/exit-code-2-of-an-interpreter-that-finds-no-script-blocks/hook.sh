#!/bin/sh
exec python3 /projects/missing.py 2>/dev/null
