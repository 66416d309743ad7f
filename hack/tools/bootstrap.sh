# Sourced by the scripts of this project, in its top folder: puts bun, at the version that package.json pins, on PATH and
# installs the packages of bun.lock. Needs bash (3.2 will do), and npm or any bun or curl. Not tried on macOS.

bun_version=$(sed -n 's/.*"packageManager": "bun@\([^"]*\)".*/\1/p' package.json)
bun_folder="${XDG_CACHE_HOME:-$HOME/.cache}/drover/bun/$bun_version"

say() { printf '%s\n' "$@" >&2; }

is_bun() { [ "$("$1" --version 2>/dev/null)" = "$bun_version" ]; }

# Moves the first program that runs here and is the right bun to its place. Packages bring one for each kind of processor.
keep_bun() {
  local program
  for program in "$@"; do
    if is_bun "$program"; then mv "$program" "$bun_folder/bun" && return; fi
  done
  say "  got no bun $bun_version that runs here"
  return 1
}

# Install scripts may be forbidden here; the package of the platform has the program itself, so none has to run.
bun_by_npm() {
  npm install --prefix . --ignore-scripts --no-save --no-audit --no-fund --no-progress --no-update-notifier --loglevel=error "bun@$bun_version" >&2 &&
    keep_bun node_modules/@oven/bun-*/bin/bun
}

bun_by_bun() {
  bun add --silent --ignore-scripts "bun@$bun_version" >&2 && keep_bun node_modules/@oven/bun-*/bin/bun
}

bun_by_download() {
  local name release="https://github.com/oven-sh/bun/releases/download/bun-v$bun_version"
  name="bun-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m | sed 's/x86_64/x64/; s/arm64/aarch64/')"
  local get=(curl --fail --silent --show-error --location --connect-timeout 3)
  "${get[@]}" --remote-name "$release/SHASUMS256.txt" --remote-name "$release/$name.zip" &&
    grep " $name.zip\$" SHASUMS256.txt >sum && sha256 -c sum >/dev/null &&
    unzip -q "$name.zip" && keep_bun "$name/bun"
}

sha256() { if command -v sha256sum >/dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi; }

# Tries one way in a folder of its own, which goes away with it. A Ctrl-C ends all of it, not just this way.
try_bun() {
  local status=0
  command -v "$1" >/dev/null || return
  say "getting bun $bun_version by $1 …"
  mkdir -p "$bun_folder"
  (
    part=$(mktemp -d "$bun_folder/part.XXXXXX")
    trap 'rm -rf "$part"' EXIT
    trap 'exit 130' INT TERM
    cd "$part" && "$2"
  ) || status=$?
  [ "$status" != 130 ] || exit 130
  return "$status"
}

find_bun() {
  if is_bun bun; then return; fi
  if ! is_bun "$bun_folder/bun"; then
    try_bun npm bun_by_npm || try_bun bun bun_by_bun || try_bun curl bun_by_download || {
      say "There is no bun $bun_version: npm, another bun and a download from GitHub were tried as far as they are here."
      say "Let this machine reach what they need, or install bun $bun_version yourself (https://bun.sh), and try again."
      exit 1
    }
  fi
  export PATH="$bun_folder:$PATH"
}

install_packages() {
  if [ node_modules/.installed -nt bun.lock ]; then return; fi
  local output
  say 'installing packages …'
  if ! output=$(bun install --frozen-lockfile 2>&1); then
    say "$output" "The packages of bun.lock could not be installed (see above)."
    exit 1
  fi
  touch node_modules/.installed
}

find_bun
install_packages
