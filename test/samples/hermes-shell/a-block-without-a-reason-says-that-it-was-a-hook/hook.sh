#!/bin/sh
cat > /dev/null
cat <<'END'
{"decision": "block", "reason": 5}
END
