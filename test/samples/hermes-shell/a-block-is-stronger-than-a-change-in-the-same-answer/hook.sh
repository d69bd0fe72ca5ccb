#!/bin/sh
cat > /dev/null
cat <<'END'
{"action": "modify", "args": {"command": "x"}, "decision": "block", "reason": "no"}
END
