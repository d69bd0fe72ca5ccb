#!/bin/sh
cat > /dev/null
cat <<'END'
{"cancel": true, "errorMessage": "no"}
END
