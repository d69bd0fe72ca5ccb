#!/bin/sh
cat > /dev/null
cat <<'END'
{"decision": "block", "reason": "from the answer"}
END
echo 'from standard error' >&2
exit 2
