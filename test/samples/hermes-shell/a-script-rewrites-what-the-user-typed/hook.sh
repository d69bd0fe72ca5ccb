#!/bin/sh
jq -c '{text: ("Say it in French: " + .extra.user_message)}'
