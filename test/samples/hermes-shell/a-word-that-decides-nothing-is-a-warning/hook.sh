#!/bin/sh
cat > /dev/null
cat <<'END'
{"decision": "blok"}
END
