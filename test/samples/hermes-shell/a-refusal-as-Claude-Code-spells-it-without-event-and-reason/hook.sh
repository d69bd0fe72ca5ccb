#!/bin/sh
cat > /dev/null
cat <<'END'
{"hookSpecificOutput": {"permissionDecision": "deny"}}
END
