#!/bin/sh
cat > /dev/null
echo '{"decision":"deny","reason":"no"}' >&2
