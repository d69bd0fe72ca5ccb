#!/bin/sh
cat > /dev/null
cat <<'END'
{"hookSpecificOutput": {"permissionDecision": "ask", "permissionDecisionReason": "Sure?"}}
END
