#!/bin/sh
jq -c '{response_text: (.extra.response_text | sub("\\.$"; "!! Tartar sauce!"))}'
