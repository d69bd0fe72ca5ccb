#!/bin/sh
cat > /dev/null
cat <<'END'
{"decision": "allow"
END
