#!/bin/sh
cat > /dev/null
cat <<'END'
{"action": "modify", "args": {"nonsense": 1}}
END
