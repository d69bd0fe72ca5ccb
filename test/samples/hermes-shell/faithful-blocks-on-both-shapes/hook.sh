#!/bin/sh
cat > /dev/null
cat <<'END'
{"action": "block", "message": "no"}
END
