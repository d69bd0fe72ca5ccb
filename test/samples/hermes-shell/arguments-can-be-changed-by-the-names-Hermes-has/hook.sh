#!/bin/sh
jq -c '{action: "modify", args: (.tool_input + {new_string: "z"})}'
