#!/bin/sh
cat > /dev/null
cat <<'END'
{"action": "block", "reason": "no"}
END
