#!/bin/sh
cat > /dev/null
cat <<'END'
{"decision": "block", "reason": "not that"}
END
