#!/bin/sh
cat > /dev/null
cat <<'END'
{
  "decision": "deny",
  "reason": "no"
}
END
