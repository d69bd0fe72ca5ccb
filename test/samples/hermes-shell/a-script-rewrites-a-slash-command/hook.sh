#!/bin/sh
cat > /dev/null
cat <<'END'
{"decision": "rewrite", "command_name": "/model", "raw_args": "list"}
END
