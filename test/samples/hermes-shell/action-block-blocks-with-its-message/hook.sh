#!/bin/sh
cat > /dev/null
cat <<'END'
{"action": "block", "message": "Forbidden: rm -rf"}
END
