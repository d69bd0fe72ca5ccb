#!/bin/sh
cat > /dev/null
cat <<'END'
{"goal": "Count twice."}
END
