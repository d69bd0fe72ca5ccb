#!/bin/sh
cat > /dev/null
cat <<'END'
{"__proto__":{"decision":"allow"},"decision":"deny","reason":"no"}
END
