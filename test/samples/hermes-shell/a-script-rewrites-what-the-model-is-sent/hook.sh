#!/bin/sh
jq -c '{messages: [.extra.messages[0]]}'
