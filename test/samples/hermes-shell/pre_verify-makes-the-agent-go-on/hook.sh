#!/bin/sh
cat > /dev/null
cat <<'END'
{"action": "continue", "message": " Run the tests. "}
END
