#!/bin/sh
cat > /dev/null
cat <<'END'
{"text": 5}
END
