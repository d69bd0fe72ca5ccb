#!/bin/sh
cat > /dev/null
cat <<'END'
{"messages": [{"role": "user", "content": "hi"}]}
END
