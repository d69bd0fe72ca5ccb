#!/bin/sh
cat > /dev/null
cat <<'END'
{"action": "modify", "args": {"command": "nice ls"}}
END
