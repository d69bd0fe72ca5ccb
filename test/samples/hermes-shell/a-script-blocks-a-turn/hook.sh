#!/bin/sh
cat > /dev/null
cat <<'END'
{"decision": "block", "reason": "The budget is spent."}
END
