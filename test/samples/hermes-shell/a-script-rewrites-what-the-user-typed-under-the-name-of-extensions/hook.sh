#!/bin/sh
cat > /dev/null
cat <<'END'
{"action": "modify", "text": "/help"}
END
