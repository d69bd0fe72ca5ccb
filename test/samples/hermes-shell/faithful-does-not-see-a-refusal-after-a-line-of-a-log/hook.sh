#!/bin/sh
cat > /dev/null
cat <<'END'
log
{"decision":"block","reason":"no"}
END
