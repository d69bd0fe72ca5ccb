#!/bin/sh
cat > /dev/null
cat <<'END'
{"decision": "approve", "reason": "fine"}
END
