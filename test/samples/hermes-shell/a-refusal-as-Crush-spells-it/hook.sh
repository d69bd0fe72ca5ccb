#!/bin/sh
cat > /dev/null
cat <<'END'
{"halt": true, "reason": "no"}
END
