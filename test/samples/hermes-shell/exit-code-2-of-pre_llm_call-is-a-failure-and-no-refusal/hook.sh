#!/bin/sh
cat > /dev/null
echo 'oops' >&2
exit 2
