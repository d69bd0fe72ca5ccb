#!/bin/sh
cat > /dev/null
cat <<'END'
{"decision":"block","decision":"allow"}
END
