#!/bin/sh
cat > /dev/null
cat <<'END'
{"context": "Today is Friday, 2026-04-17"}
END
