#!/bin/sh
cat > /dev/null
cat <<'END'
{"action": "approve"}
END
