#!/bin/sh
cat > /dev/null
cat <<'END'
{"response_text": ""}
END
