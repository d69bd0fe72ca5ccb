#!/bin/sh
cat > /dev/null
cat <<'END'
oops
END
