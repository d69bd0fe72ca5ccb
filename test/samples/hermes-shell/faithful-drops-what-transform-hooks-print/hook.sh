#!/bin/sh
cat > /dev/null
cat <<'END'
{"output": "x"}
END
