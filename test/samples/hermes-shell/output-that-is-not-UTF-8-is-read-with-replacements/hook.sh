#!/bin/sh
cat > /dev/null
printf '{"decision":"block","reason":"a\377b"}'
