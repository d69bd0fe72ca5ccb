#!/bin/sh
cat > /dev/null
cat <<'END'
formatted 3 files
END
