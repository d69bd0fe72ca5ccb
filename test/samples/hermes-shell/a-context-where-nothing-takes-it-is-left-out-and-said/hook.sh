#!/bin/sh
cat > /dev/null
cat <<'END'
{"context": "x"}
END
