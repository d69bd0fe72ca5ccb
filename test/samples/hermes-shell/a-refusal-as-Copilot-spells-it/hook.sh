#!/bin/sh
cat > /dev/null
cat <<'END'
{"permissionDecision": "deny", "permissionDecisionReason": "no"}
END
