#!/bin/sh
cat > /dev/null
cat <<'END'
{"decision": "block", "reason": "Forbidden: rm -rf"}
END
