#!/bin/sh
cat > /dev/null
cat <<'END'
{"decision": " DENY ", "reason": "no"}
END
