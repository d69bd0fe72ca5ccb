#!/bin/sh
cat > /dev/null
cat <<'END'
{"decision": "block", "reason": "no"}
END
