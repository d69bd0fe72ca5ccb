#!/bin/sh
cat > /dev/null
echo 'not on a Friday' >&2
exit 2
