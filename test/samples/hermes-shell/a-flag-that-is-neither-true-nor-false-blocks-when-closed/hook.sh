#!/bin/sh
cat > /dev/null
cat <<'END'
{"block": "maybe"}
END
