#!/bin/sh
cat > /dev/null
cat <<'END'
{"context": "c", "system": "s"}
END
