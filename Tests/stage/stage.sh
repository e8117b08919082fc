#!/bin/bash
# A real Linux kernel and a real udev with hot-pluggable serial ports, in QEMU: no hardware needed.
#
#   stage.sh deps     installs what this machine lacks (QEMU, cpio), where it may
#   stage.sh build    builds the kernel and the initramfs; cached until this folder changes
#   stage.sh run [--usb N] [--modules "M1 M2"] [--share DIR] [--timeout S] -- COMMAND...
#
# COMMAND sees this machine's own root file system (read-only, its writes stay in the guest), in the
# same folder, so that the binary built here runs there unchanged. Its output is printed, its exit
# status returned. --share makes a folder of this machine writable in the guest.
#
# The far end of USB port N is /dev/virtio-ports/usbN in the guest, that of /dev/ttyS1 is
# /dev/virtio-ports/isa1; stage.py plugs and unplugs, through QEMU's monitor.
#
# Exit status 77: cannot run on this machine, the last line on stderr says why.
# STAGE_ACCEL=kvm uses KVM where it works; the default runs everywhere. STAGE_KEEP=1 keeps the logs.
#
# The build has a shell of its own, and its functions read its variables. QEMU's options have commas. $PATH is the guest's.
# shellcheck disable=SC2016,SC2030,SC2031,SC2054
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../../scripts/packages.sh
source "$here/../../scripts/packages.sh"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/serialterm-stage
modules="virtio_pci virtio_console virtio_rng 9pnet_virtio 9p overlay xhci_pci ftdi_sio
  configfs dummy_hcd libcomposite usb_f_acm usb_f_fs cdc_acm"

say() { echo "stage: $*" >&2; }
unavailable() { say "$*"; exit 77; }

deps() {
  [ "$(uname -m)" = x86_64 ] || unavailable "needs an x86-64 machine, this is $(uname -m)"
  need_packages qemu-system-x86 cpio || unavailable "needs qemu-system-x86 and cpio"
}

# The inputs of the cached build: a change here makes a new build.
fingerprint() { cat "$here/stage.sh" "$here/guest/init" | sha256sum | cut -d' ' -f1; }

# The packages that udev and kmod need to run: their libraries, all the way down.
guest_packages() {
  local only=(--no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances)
  local libraries
  libraries=$(apt-cache depends "${only[@]}" udev kmod | awk '$1 ~ /Depends/ && $2 ~ /^lib/ {print $2}')
  # shellcheck disable=SC2086  # a list of words
  { printf '%s\n' udev kmod busybox-static
    apt-cache depends --recurse "${only[@]}" $libraries | grep '^lib'; } | sort -u
}

build() (
  deps
  mkdir -p "$cache"
  exec 9> "$cache/lock" && flock 9
  [ "$(cat "$cache/fingerprint" 2>/dev/null)" != "$(fingerprint)" ] || exit 0
  command -v apt-get >/dev/null || unavailable "needs apt-get to fetch a kernel"
  started=$SECONDS
  scratch=$(mktemp -d "$cache/build.XXXXXX")
  trap 'rm -rf "$scratch"' EXIT
  mkdir -p "$scratch"/{packages,kernel,root,tools}
  # Ubuntu has no package of this name, for which apt-cache fails.
  kernel_package=$( (apt-cache depends linux-image-amd64 2>/dev/null || true) |
    awk '/Depends: linux-image-[0-9]/ {print $2; exit}')
  [ -n "$kernel_package" ] || unavailable "apt-get knows no linux-image-amd64 (run apt-get update)"
  say "fetching $kernel_package and udev (once, about 90 MB)"
  cd "$scratch/packages"
  # shellcheck disable=SC2046  # a list of words
  apt-get download -qq "$kernel_package" $(guest_packages) 2> ../errors ||
    unavailable "apt-get could not fetch the kernel: $(tail -n 1 ../errors)"
  cd "$scratch"
  dpkg-deb -x packages/"$kernel_package"_*.deb kernel
  # Debian 13 has no links from /lib to /usr/lib in its packages.
  [ -d kernel/lib/modules ] || { mkdir -p kernel/lib && mv kernel/usr/lib/modules kernel/lib/; }
  version=$(ls kernel/lib/modules)
  populate_root
  ( cd root && find . -print0 | cpio --null -o -H newc --quiet | gzip -1 ) > "$cache/initrd.img"
  cp kernel/boot/vmlinuz-"$version" "$cache/vmlinuz"
  fingerprint > "$cache/fingerprint"
  say "built Linux $version in $((SECONDS - started)) s"
)

# root/: the unpacked packages, the modules wanted, users and groups that udev's rules name, and init.
populate_root() {
  local name package module number=100
  mkdir -p root/usr/{bin,sbin,lib,lib64} root/{proc,sys,dev,run,tmp,etc,host,merged,stage,var}
  for name in bin sbin lib lib64; do ln -sfn usr/$name root/$name; done
  for package in packages/*.deb; do
    case $package in packages/linux-image*) continue ;; esac
    dpkg-deb --fsys-tarfile "$package" | tar -x -C root --keep-directory-symlink \
      --exclude='./usr/share/*' --exclude='./lib/systemd/system/*'
  done
  in_guest_tools depmod -b kernel "$version"
  mkdir -p root/usr/lib/modules/"$version"
  for module in $modules; do
    in_guest_tools modprobe -d "$scratch/kernel" -S "$version" --show-depends "$module" |
      awk '$1 == "insmod" {print $2}'
  done | sort -u | while read -r module; do
    module=${module#"$scratch"/kernel/}
    install -D -m 644 kernel/"$module" root/usr/"$module"
  done
  cp kernel/lib/modules/"$version"/modules.{builtin,order,builtin.modinfo} \
    root/usr/lib/modules/"$version"/
  in_guest_tools depmod -b root/usr "$version" 2>/dev/null ||
    in_guest_tools depmod -b root "$version"
  # The vendors' names (ID_VENDOR_FROM_DATABASE), which the package's installation would build.
  in_guest_tools systemd-hwdb update --root="$scratch/root"
  rm -rf root/usr/lib/udev/hwdb.d
  echo 'root:x:0:0:root:/root:/bin/sh' > root/etc/passwd
  printf '%s\n' root:x:0: tty:x:5: disk:x:6: dialout:x:20: > root/etc/group
  for name in kmem input video render sgx lp cdrom tape kvm audio floppy plugdev; do
    echo "$name:x:$((number++)):" >> root/etc/group
  done
  printf '%s: files\n' passwd group > root/etc/nsswitch.conf
  install -m 755 "$here/guest/init" root/init
}

# Runs a tool of the guest on this machine, with the guest's libraries. kmod goes by its name.
in_guest_tools() {
  local tool=$1 libraries=$scratch/root/usr/lib/x86_64-linux-gnu:$scratch/root/lib/x86_64-linux-gnu
  shift
  case $tool in
    depmod | modprobe) ln -sfn "$scratch/root/usr/bin/kmod" "tools/$tool" ;;
    *) ln -sfn "$scratch/root/usr/bin/$tool" "tools/$tool" ;;
  esac
  LD_LIBRARY_PATH=$libraries "tools/$tool" "$@"
}

run() {
  local ports=4 timeout=300 extra_modules='' shares=() status=0 index=0 share
  while [ $# -gt 0 ]; do
    case $1 in
      --usb) ports=$2; shift 2 ;;
      --modules) extra_modules=${2// /,}; shift 2 ;;
      --share) shares+=("$(realpath "$2")"); shift 2 ;;
      --timeout) timeout=$2; shift 2 ;;
      --) shift; break ;;
      *) say "unknown option $1"; exit 2 ;;
    esac
  done
  build
  scene=$(mktemp -d "${TMPDIR:-/tmp}/serialterm-stage.XXXXXX")
  trap strike EXIT
  { printf 'cd %q || exit 127\nexport HOME=/root STAGE=1 PATH=/usr/local/bin:$PATH\nexec' "$PWD"
    printf ' %q' "$@"; echo; } > "$scene/command"
  : > "$scene/shares"
  local qemu=(qemu-system-x86_64 -M pc -accel "${STAGE_ACCEL:-tcg}" -cpu max -m 1024 -smp 2
    -nodefaults -display none -no-reboot -kernel "$cache/vmlinuz" -initrd "$cache/initrd.img"
    -append "console=ttyS0 quiet panic=-1 no_timer_check random.trust_cpu=on mitigations=off log_buf_len=4M stage.modules=$extra_modules"
    -device virtio-rng-pci -device virtio-serial-pci,id=wires0,max_ports=31
    -chardev "file,id=console,path=$scene/console.log" -device isa-serial,index=0,chardev=console
    -chardev "file,id=output,path=$scene/output,append=on"
    -device virtserialport,bus=wires0.0,chardev=output,name=stage.out
    -chardev "socket,id=monitor,path=$scene/monitor.sock,server=on,wait=off"
    -mon chardev=monitor,mode=control
    -chardev "socket,id=monitor-peer,path=$scene/monitor.sock"
    -device virtserialport,bus=wires0.0,chardev=monitor-peer,name=stage.qmp
    -virtfs "local,path=$scene,mount_tag=stage,security_model=none,id=stage"
    -virtfs "local,path=/,mount_tag=hostroot,security_model=none,readonly=on,multidevs=remap,id=hostroot"
    -device qemu-xhci,id=xhci,p2=15,p3=15)
  # Each port's wire: a socket of this machine with QEMU at both ends, the port at one and a virtio
  # port of the same guest at the other.
  wire() {
    qemu+=(-chardev "socket,id=$1,path=$scene/$1.sock,server=on,wait=off"
      -chardev "socket,id=peer-$1,path=$scene/$1.sock"
      -device "virtserialport,bus=wires0.0,chardev=peer-$1,name=$1")
  }
  for ((index = 0; index < ports; index++)); do wire "usb$index"; done
  wire isa1
  qemu+=(-device isa-serial,index=1,chardev=isa1)
  index=0
  for share in ${shares[@]+"${shares[@]}"}; do
    qemu+=(-virtfs "local,path=$share,mount_tag=share$index,security_model=none,multidevs=remap,id=share$index")
    echo "share$((index++)) $share" >> "$scene/shares"
  done
  mkfifo "$scene/output"
  cat "$scene/output" &
  timeout -k 5 "$timeout" "${qemu[@]}" < /dev/null 2> "$scene/qemu.log" &
  qemu_process=$!
  wait "$qemu_process" || status=$?
  qemu_process=
  # Opened for both, a FIFO never blocks: this frees cat when QEMU ended before it opened its end.
  : 1<> "$scene/output"
  wait
  if [ "$status" = 0 ] && [ -s "$scene/status" ]; then exit "$(cat "$scene/status")"; fi
  [ "$status" != 124 ] || say "not done within $timeout s"
  say "QEMU ended with $status: $(head -c 600 "$scene/qemu.log")"
  tail -n 15 "$scene/console.log" >&2 || true
  exit 125
}

strike() {
  [ -z "${qemu_process:-}" ] || kill "$qemu_process" 2>/dev/null || true
  if [ -n "${STAGE_KEEP:-}" ]; then say "kept $scene"; else rm -rf "$scene"; fi
}

case ${1:-} in
  deps | build | run) "$@" ;;
  *) sed -n '2,18s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
