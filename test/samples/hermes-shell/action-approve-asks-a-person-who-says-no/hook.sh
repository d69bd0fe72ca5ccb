#!/bin/sh
cat > /dev/null
cat <<'END'
{"action": "approve", "message": "Really?"}
END
