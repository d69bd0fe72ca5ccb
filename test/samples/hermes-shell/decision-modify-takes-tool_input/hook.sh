#!/bin/sh
cat > /dev/null
cat <<'END'
{"decision": "modify", "tool_input": {"command": "nice ls"}}
END
