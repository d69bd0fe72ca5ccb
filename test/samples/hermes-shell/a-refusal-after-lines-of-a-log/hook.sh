#!/bin/sh
cat > /dev/null
cat <<'END'
checking ...
{not json
done
{"decision": "deny", "reason": "no"}
END
