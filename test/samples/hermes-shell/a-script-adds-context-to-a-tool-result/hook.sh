#!/bin/sh
cat > /dev/null
cat <<'END'
{"context": "look twice"}
END
