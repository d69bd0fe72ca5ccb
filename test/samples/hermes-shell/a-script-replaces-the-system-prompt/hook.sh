#!/bin/sh
cat > /dev/null
cat <<'END'
{"system_prompt": "Be brief."}
END
