#!/bin/sh
cat > /dev/null
cat <<'END'
{"decision":"deny","decision":"allow","reason":"no"}
END
