#!/bin/sh
cat > /dev/null
cat <<'END'
[1,2]
END
