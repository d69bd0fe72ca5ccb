#!/bin/sh
cat > /dev/null
cat <<'END'
{"decision": "block", "reason": "no"}
END
exit 1
