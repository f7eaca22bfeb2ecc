#!/bin/sh
# Leaves an object file with one global function, whose name contains a given word.
# SPDX-License-Identifier: Apache-2.0
#
# isolate.sh LD OBJCOPY READELF WORD INPUT OUTPUT
#
# Functions and the tables that point to them (vtables, _ZTV _ZTT _ZTC) become local: they are code
# for one instruction set. Data stays as it is, so a pool or a counter that inline code keeps is
# still one in a program. The object's groups are dissolved first, or the linker would drop a group
# that another object has too, and with it what is local now.
set -eu
ld=$1 objcopy=$2 readelf=$3 word=$4 input=$5 output=$6

"$ld" -r --force-group-allocation -o "$output" "$input"
"$readelf" --symbols --wide "$output" |
  awk -v word="$word" '
    $5 != "LOCAL" && $7 != "UND" && ($4 ~ /FUNC$/ || $8 ~ /^_ZT[VTC]/) && index($8, word) == 0 {
      print $8
    }' >"$output.names"
"$objcopy" --localize-symbols="$output.names" "$output"
rm "$output.names"
