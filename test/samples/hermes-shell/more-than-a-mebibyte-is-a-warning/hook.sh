#!/bin/sh
cat > /dev/null
printf '{"x":"'
head -c 1100000 /dev/zero | tr '\0' x
printf '"}'
