#!/bin/sh
cat > /dev/null
cat <<'END'
Traceback (most recent call last)
END
