# A bare Debian for tests of packages, in a folder of its own that is removed at the end. Sourced by them.
#
# After `make_bare_debian`, $root is its root and `inside LINE` runs a line of shell in its folder /here. Where it cannot
# be made the script exits with 77 and says why. Environment: SUITE (default: the one that runs).

work=$(mktemp -d)
root=$work/root
trap 'rm -rf --one-file-system "$work"' EXIT

fail() {
    echo "FAILED: $*" >&2
    exit 1
}
skip() {
    echo "SKIPPED, there is no bare Debian to try it in: $*" >&2
    exit 77
}
# Runs something whose output matters only if it fails.
quietly() { "$@" >"$work/log" 2>&1 || { tail -n 30 "$work/log"; fail "$*"; }; }

make_bare_debian() {
    [[ $(id -u) -eq 0 ]] || skip "this needs root"
    command -v mmdebstrap >/dev/null || skip "mmdebstrap is not installed (scripts/install-deps.sh packages)"
    local suite mirror fast
    # shellcheck disable=SC1091
    suite=${SUITE:-$(. /etc/os-release && echo "${VERSION_CODENAME:-}")}
    mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' |
        awk -v suite="$suite" '$2 == suite && $1 ~ /debian/ { print $1; exit }')
    [[ -n $suite && -n $mirror ]] || skip "no package source of Debian is configured"
    # Nothing of it outlives this script, so nothing needs to be forced onto the disk.
    fast=(--dpkgopt=force-unsafe-io --aptopt='Acquire::Languages "none"')
    mmdebstrap --variant=apt --skip=cleanup/apt/lists "${fast[@]}" "$suite" "$root" "$mirror" >"$work/log" 2>&1 ||
        { tail -n 5 "$work/log"; skip "mmdebstrap could not make one: no network, or no rights"; }
    mkdir "$root/here"
}

# A line of shell, in /here.
inside() {
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        chroot "$root" sh -ec "cd /here; $1"
}
