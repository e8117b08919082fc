# shellcheck shell=bash
# Functions for the other scripts.

# Installs missing Debian packages, with a message: need_packages NAME... Returns 1, with a message, if
# that is not possible.
need_packages() {
  local missing=() name
  for name; do
    dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || missing+=("$name")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  local as_root=()
  [ "$(id -u)" = 0 ] || as_root=(sudo -n)
  if ! command -v apt-get >/dev/null || ! "${as_root[@]}" true 2>/dev/null; then
    echo "missing: ${missing[*]}. Install them, or run this as root on a system with apt-get." >&2
    return 1
  fi
  echo "installing through apt: ${missing[*]}" >&2
  "${as_root[@]}" apt-get update -qq >&2 || return 1
  local install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends)
  "${install[@]}" "${missing[@]}" >&2 && return 0
  # apt-get installs none of them if this release lacks one.
  local lacking=()
  for name in "${missing[@]}"; do
    "${install[@]}" "$name" >/dev/null 2>&1 || lacking+=("$name")
  done
  [ ${#lacking[@]} = 0 ] || { echo "missing, apt-get cannot install: ${lacking[*]}" >&2; return 1; }
}

# Unpacks Debian packages into a folder without installing them or what they depend on, with a message, unless they are
# there already: need_unpacked_packages FOLDER NAME... Returns 1, with a message, if that is not possible.
need_unpacked_packages() {
  local folder=$PWD/$1 message
  shift
  [ "$(cat "$folder/unpacked" 2>/dev/null)" != "$*" ] || return 0
  echo "unpacking packages of Debian into $folder: $*" >&2
  rm -rf "$folder"
  mkdir -p "$folder"
  # Downloaded as this user, who may be root: apt's own user has no access to the folder.
  if ! message=$(cd "$folder" && apt-get -o APT::Sandbox::User= -qq download "$@" 2>&1 &&
    for file in *.deb; do dpkg-deb -x "$file" . && rm "$file" || exit; done); then
    echo "missing: $*. apt-get: $(echo "$message" | tail -n 1)" >&2
    rm -rf "$folder"
    return 1
  fi
  echo "$*" > "$folder/unpacked"
}

# Installs packages of PyPI into a virtual environment, with a message, unless they are there already:
# need_python_packages FOLDER NAME==VERSION... Returns 1, with a message, if that is not possible.
need_python_packages() {
  local folder=$PWD/$1 message
  shift
  # The folder cannot be moved.
  [ "$(cat "$folder/installed" 2>/dev/null)" != "$folder $*" ] || return 0
  echo "installing through pip, into $folder: $*" >&2
  rm -rf "$folder"
  if ! message=$(python3 -m venv "$folder" 2>&1 &&
    "$folder/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 10 "$@" 2>&1); then
    echo "missing: $*. pip: $(echo "$message" | tail -n 1)" >&2
    rm -rf "$folder"
    return 1
  fi
  echo "$folder $*" > "$folder/installed"
}

# Installs the packages that a Swift toolchain needs if it does not run or cannot link: a toolchain from
# swift.org is an archive without dependencies. The list is swift.org's for Debian, with -dev packages
# because their names are the same in every release. Returns 1, with a message, without a toolchain.
need_toolchain() {
  if ! command -v swift >/dev/null; then
    echo "Swift is missing: install version 6.2 or later, see https://www.swift.org/install/linux/" >&2
    return 1
  fi
  ! { command -v git && swift build --version &&
    echo '#include <cstdlib>' | clang++ -x c++ -fsyntax-only - &&
    echo 'int main(void) { return 0; }' | clang -x c - -lstdc++ -o /dev/null
  } >/dev/null 2>&1 || return 0
  need_packages ca-certificates git g++ libc6-dev libcurl4-openssl-dev libncurses-dev \
    libsqlite3-dev libxml2-dev tzdata
}

# Prints the names of the libraries that Package.swift makes for other programs, one a line.
library_products() {
  swift package describe --type json |
    python3 -c 'import json, sys
for product in json.load(sys.stdin)["products"]:
    if "library" in product["type"]: print(product["name"])'
}

# Builds the package and the symbol graphs of its modules, which have every public declaration with its documentation,
# and prints their folder: symbol_graphs [OPTION OF DUMP-SYMBOL-GRAPH]...
symbol_graphs() {
  local graphs message product
  graphs=$(dirname "$(swift build --show-bin-path)")/symbolgraph
  # Those of modules that are gone.
  rm -rf "$graphs"
  # It reads all modules, and can fail for one that is no product ("module was not loaded": the tool does not load what
  # other modules of the package import). Only the graphs of the products are used.
  if ! message=$(swift package dump-symbol-graph --skip-synthesized-members "$@" 2>&1); then
    for product in $(library_products); do
      [ -s "$graphs/$product.symbols.json" ] || { echo "$message" >&2; return 1; }
    done
  fi
  echo "$graphs"
}
