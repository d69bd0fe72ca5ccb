#!/bin/sh
cat > /dev/null
cat <<'END'
{}
END
