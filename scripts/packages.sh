# Sourced by the scripts beside it: need_packages NAME... installs Debian packages that are missing.

# Says what it is going to install, then does. Returns 1, saying so, where it cannot.
need_packages() {
  local missing=() name
  for name; do
    dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || missing+=("$name")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  local as_root=()
  [ "$(id -u)" = 0 ] || as_root=(sudo -n)
  if ! command -v apt-get >/dev/null || ! "${as_root[@]}" true 2>/dev/null; then
    echo "missing: ${missing[*]}; install them, or run this where apt-get and root are to be had" >&2
    return 1
  fi
  echo "installing through apt: ${missing[*]}" >&2
  "${as_root[@]}" apt-get update -qq >&2 &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}
