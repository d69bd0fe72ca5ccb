#!/bin/sh
cat > /dev/null
cat <<'END'
{"result": {"text": "bad", "is_error": true}}
END
