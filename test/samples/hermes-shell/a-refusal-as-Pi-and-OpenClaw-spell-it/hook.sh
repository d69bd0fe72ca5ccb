#!/bin/sh
cat > /dev/null
cat <<'END'
{"block": true, "blockReason": "no"}
END
