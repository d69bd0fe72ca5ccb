#!/bin/sh
cat > /dev/null
cat <<'END'
{"permission": "deny", "user_message": "no", "agent_message": "really"}
END
