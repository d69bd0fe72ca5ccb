#!/bin/sh
cat > /dev/null
head -c 900 /dev/zero | tr '\0' e >&2
exit 2
