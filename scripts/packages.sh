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

# What a Swift toolchain needs itself, where it does not run or has nothing to link with: it comes as
# an archive, which brings no packages. The list is that of swift.org for Debian; -dev packages, since
# their names stay from release to release. Returns 1, saying so, where there is no toolchain.
need_toolchain() {
  if ! command -v swift >/dev/null; then
    echo "there is no swift: install a toolchain of version 6.2 or later, see swift.org/install" >&2
    return 1
  fi
  ! { command -v git && swift build --version &&
    echo '#include <cstdlib>' | clang++ -x c++ -fsyntax-only - &&
    echo 'int main(void) { return 0; }' | clang -x c - -lstdc++ -o /dev/null
  } >/dev/null 2>&1 || return 0
  need_packages ca-certificates git g++ libc6-dev libcurl4-openssl-dev libncurses-dev \
    libsqlite3-dev libxml2-dev tzdata
}
