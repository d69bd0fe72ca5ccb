#!/bin/sh
cat > /dev/null
cat <<'END'
{"context": "c"}
END
