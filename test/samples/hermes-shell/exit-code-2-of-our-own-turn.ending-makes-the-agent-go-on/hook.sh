#!/bin/sh
cat > /dev/null
echo 'Run the tests.' >&2
exit 2
