#!/bin/sh
jq -c '{output: (.extra.output | ascii_upcase)}'
