#!/bin/sh
cat > /dev/null
cat <<'END'
{"action": "rewrite", "text": "new text"}
END
