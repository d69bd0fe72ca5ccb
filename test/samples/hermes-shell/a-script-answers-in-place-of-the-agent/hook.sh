#!/bin/sh
cat > /dev/null
cat <<'END'
{"action": "respond", "message": "Ask me tomorrow."}
END
