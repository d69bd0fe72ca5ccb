#!/bin/sh
cat > /dev/null
cat <<'END'
{"action": "modify", "args": {"command": "x"}}
END
echo 'no' >&2
exit 2
