#!/bin/sh
cat > /dev/null
cat <<'END'
{"decision": "block", "reason": "Run the tests."}
END
