# Installs Debian packages that are missing; sourced by the other scripts.
# SPDX-License-Identifier: Apache-2.0

# need PACKAGE...: installs those that are not there; asks the network only if one is missing.
need() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  if ! command -v apt-get >/dev/null; then
    echo "install these first: ${missing[*]}" >&2
    return 1
  fi
  local root=()
  [ "$(id -u)" -eq 0 ] || root=(sudo)
  echo "installing ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  "${root[@]}" apt-get update -qq
  "${root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" </dev/null >/dev/null
}
