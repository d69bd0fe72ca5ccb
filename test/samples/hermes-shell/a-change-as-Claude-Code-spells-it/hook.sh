#!/bin/sh
cat > /dev/null
cat <<'END'
{"hookSpecificOutput": {"permissionDecision": "allow", "updatedInput": {"command": "nice ls"}}}
END
