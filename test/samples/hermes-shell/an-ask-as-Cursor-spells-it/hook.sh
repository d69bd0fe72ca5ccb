#!/bin/sh
cat > /dev/null
cat <<'END'
{"permission": "ask", "user_message": "Sure?"}
END
