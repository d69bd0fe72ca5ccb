#!/bin/sh
cat > /dev/null
cat <<'END'
{"command": "ls -l"}
END
