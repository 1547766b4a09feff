#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: debian packaging
# shellcheck source-path=SCRIPTDIR
# The recipes of packages: they can be read, and every file that is installed is in exactly one package.
root=$(readlink -f "$(dirname "$0")/../..")
. "$(dirname "$0")/expect.sh"

DESTDIR="$PWD/all" cmake --install "$1" --prefix /usr >/dev/null || fault "installation fails"
(cd all && find usr ! -type d) | sort >installed

# packed NAME FILE PATTERN...: counts the PATTERNs' files in FILE; a pattern without files is a fault.
packed()
{
    package=$1 list=$2
    shift 2
    for pattern; do
        # shellcheck disable=SC2086 # a pattern
        found=$(cd all && find $pattern ! -type d 2>/dev/null)
        [ "$found" ] || fault "$package: no file is '$pattern'"
        printf '%s\n' "$found" >>"$list"
    done
}

# once WHO FILE: FILE names each installed file once.
once()
{
    sort "$2" >sorted
    same "$1: files in no package, or in two" "$(diff installed sorted | grep '^[<>]')" ""
}

for list in "$root"/debian/*.install "$root"/debian/not-installed; do
    # shellcheck disable=SC2046 # a list of patterns
    packed "$(basename "$list")" debian $(cut -d ' ' -f 1 "$list" | sed 's#usr/lib/\*/#usr/lib/#')
done
once debian debian

# Debian's list of what the library exports, and since which version. What has no line gets one with the next version;
# what has one stays: programs need it.
sed -n 's/^ \(.*\)@.* .*/\1/p' "$root/debian/libspur-otf2-0.symbols" | sort >listed_symbols
nm -D --defined-only "$1/lib/libspur-otf2.so" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort >exported
echo "SPUR_OTF2_3.0" | sort - exported >symbols
same "debian/libspur-otf2-0.symbols lists (<), the library exports (>)" "$(diff listed_symbols symbols | grep '^[<>]')" ""

# Debian's package has the number of the binary interface in its name; so has the file.
package=$(sed -n 's/^Package: \(libspur-otf2-[0-9]*\)$/\1/p' "$root/debian/control")
soname=libspur-otf2.so.${package##*-}
same "SONAME" "$(readelf -d "$1/lib/libspur-otf2.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')" "$soname"
same "Debian's list of symbols" "$(head -n 1 "$root/debian/$package.symbols")" "$soname $package #MINVER#"
same "the library's file" "$(cd all/usr/lib && readlink "$soname")" "$soname.$(sed -n \
    's/^project(spur VERSION \([0-9.]*\) .*/\1/p' "$root/CMakeLists.txt")"

# What is shipped has no path of the build tree, which would make builds in two folders differ.
for file in "$1"/lib/*.so "$1"/bin/* "$1"/libexec/spur/*; do
    same "RUNPATH of $file" "$(readelf -d "$file" 2>/dev/null | grep -E '\((RUNPATH|RPATH)\)' | grep -o '\[/.*')" ""
done

# Debian's rules find the unit tests of their build, which lies in a folder for the processor.
mkdir sources && cp -r "$root/debian" sources/
ln -s "$(readlink -f "$1")" "sources/obj-$(dpkg-architecture -qDEB_HOST_GNU_TYPE)"
run make -C sources -f debian/rules override_dh_auto_test DEB_BUILD_OPTIONS= ctest="ctest -N"
same "Debian's rules: status" "$status" 0
[ "$(echo "$out" | grep -c ' unit/test_')" -ge 50 ] || fault "tests of Debian's rules: $out$err"

# For another processor they take the manual pages that commands of this one have made.
mkdir tools
for tool in cmake dh_auto_configure; do
    # shellcheck disable=SC2016 # the tool expands
    printf '#!/bin/sh\necho "${0##*/} $*"\n' >tools/$tool
    chmod +x tools/$tool
done
run env PATH="$PWD/tools:$PATH" make -s -C sources -f debian/rules override_dh_auto_configure DEB_HOST_GNU_TYPE=other
native=obj-$(dpkg-architecture -qDEB_BUILD_GNU_TYPE)
has "the build for this processor" "$out" "cmake --build $native --target man"
has "the build for another" "$out" "dh_auto_configure -- -DSPUR_MAN_PAGES=$PWD/sources/$native/share/man "
run env PATH="$PWD/tools:$PATH" make -s -C sources -f debian/rules override_dh_auto_configure
has "a build for this processor only" "$out" "dh_auto_configure -- -DCMAKE_BUILD_TYPE"

# RPM: its own tool makes packages of the installation, each file in one of them. Nothing of it is built.
version=$("$spur" --version)
version=${version#spur }
mkdir -p rpm/SOURCES "rpm/spur-$version"
cp "$root/LICENSE" "rpm/spur-$version/"
tar -C rpm -czf "rpm/SOURCES/spur-$version.tar.gz" "spur-$version"
run rpmbuild -ba --nodeps --define "_topdir $PWD/rpm" --define '_libdir /usr/lib' --define '_libexecdir /usr/libexec' \
    --define '_docdir /usr/share/doc' --define '_licensedir /usr/share/licenses' --define 'debug_package %nil' \
    --define '__os_install_post %nil' --define '_build_id_links none' --define '_binary_payload w0.gzdio' \
    --define 'cmake true' --define 'cmake_build true' --define "cmake_install cp -a $PWD/all/usr %buildroot/" "$root/packaging/rpm/spur.spec"
[ "$status" = 0 ] || fault "rpmbuild: $(echo "$err" | tail -n 5)"
for package in spur spur-otf2-libs spur-otf2-devel; do
    rpm -qpl "rpm/RPMS/$(uname -m)/$package-$version-1.$(uname -m).rpm"
done | while read -r file; do
    [ -d "all$file" ] && [ ! -L "all$file" ] || echo "$file"
done | grep -v ^/usr/share/licenses | cut -c2- >listed
once RPM listed
# What is preloaded by its path is nobody else's library.
rpm -qp --provides rpm/RPMS/*/*.rpm | grep '\.so' | cut -d '(' -f 1 | sort -u >provided
same "libraries that RPM packages provide" "$(cat provided)" libspur-otf2.so.0
same "own libraries that spur's RPM asks for" "$(rpm -qp --requires rpm/RPMS/*/spur-[0-9]*.rpm | grep '^libspur')" ""
# Removing them leaves nothing but the folders of the system.
mkdir -p system/usr/bin system/usr/include system/usr/lib/pkgconfig system/usr/libexec system/usr/share/doc \
    system/usr/share/licenses system/usr/share/man/man1 system/usr/share/man/man3
find system/usr | sort >before
rpms()
{
    rpm --force-debian --root "$PWD/system" --nodeps "$@" || fault "rpm $*"
}
rpms -i rpm/RPMS/*/*.rpm
same "changed files" "$(rpms -V spur spur-otf2-libs spur-otf2-devel)" ""
run system/usr/bin/spur -q true
same "the installed spur" "$status:$err" "0:"
rpms -e spur
rpms -e spur-otf2-libs
rpms -e spur-otf2-devel
same "left by RPM" "$(find system/usr | sort | diff before -)" ""

# Fedora's macros ask for fortification by words that the compiler takes after all others. Wrappers define what the
# headers would define then, inline: one file of each folder of each library is asked.
cat >fortified.py <<'END'
import json
import os
import shlex
import subprocess
import sys

asked = {}
for entry in json.load(open(sys.argv[1], encoding="utf-8")):
    words = shlex.split(entry["command"])
    target = os.path.dirname(words[words.index("-o") + 1])
    if "-U_FORTIFY_SOURCE" in entry["command"]:
        asked.setdefault(target, (entry["directory"], words))
for target, (folder, words) in asked.items():
    words[words.index("-o") + 1] = "-"
    words[1:1] = ["-Wp,-U_FORTIFY_SOURCE,-D_FORTIFY_SOURCE=3", "-dM", "-E"]  # as in CFLAGS
    macros = subprocess.run(words, cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout
    if "_FORTIFY_SOURCE" in macros:
        print(target)
print(len(asked) >= 20, file=sys.stderr)
END
run python3 fortified.py "$1/compile_commands.json"
same "fortified wrappers" "$out" ""
same "libraries of wrappers are 20 and more" "$err" True

# Spack's recipe as Spack before 1.0 reads it, and as later ones do: CMake's variables by all variants.
cat >spack.py <<'END'
import sys
import types

class CMakePackage:
    def define(self, name, value):
        used.add(name)

def directive(*_, **__):
    pass

used = set()
package = dict.fromkeys(("version", "variant", "depends_on", "license", "conflicts"), directive)
systems = {"CMakePackage": CMakePackage, "generator": directive}
for old, new in ((systems, None), ({}, systems)):
    for name, has in (("spack.package", {**package, **old}), ("spack_repo.builtin.build_systems.cmake", new)):
        sys.modules.pop(name, None)
        if has:
            words = name.split(".")
            sys.modules.update({".".join(words[:i]): types.ModuleType("") for i in range(1, len(words) + 1)})
            sys.modules[name].__dict__.update(has)
    recipe = {}
    with open(sys.argv[1], encoding="utf-8") as file:
        exec(file.read(), recipe)
    spur = recipe["Spur"]()
    spur.spec = ("~query", "~serve")
    spur.cmake_args()
print(*sorted(used), sep="\n")
END
python3 spack.py "$root/packaging/spack/package.py" >variables || fault "Spack cannot read its recipe"

# EasyBuild's, and what EasyBuild looks for after the installation.
python3 -c 'import sys
recipe = {"SOURCE_TAR_GZ": ""}
exec(open(sys.argv[1]).read(), recipe)
print(*recipe["sanity_check_paths"]["files"], *recipe["sanity_check_paths"]["dirs"], sep="\n")
print(*(word[2:].split("=")[0] for word in recipe["configopts"].split()), sep="\n", file=sys.stderr)' \
    "$root"/packaging/easybuild/*.eb >looked_for 2>>variables || fault "EasyBuild cannot read its recipe"
[ "$(wc -l <variables)" -ge 6 ] || fault "the recipes set no variables"
grep -v ^CMAKE_ variables | sort -u | while read -r variable; do
    grep -rqw "$variable" "$root/CMakeLists.txt" "$root/tools/CMakeLists.txt" || echo "$variable"
done >unknown
same "variables of the recipes that CMake does not know" "$(cat unknown)" ""
[ "$(wc -l <looked_for)" -ge 5 ] || fault "EasyBuild looks for nothing"
while read -r path; do
    [ -e "all/usr/$path" ] || fault "EasyBuild looks for $path"
done <looked_for

# The module finds its installation where it was moved to, and takes back what it has set.
cmake --install "$1" --prefix "$PWD/first" >/dev/null && mv first second
module=spur/$version
load="module use $PWD/second/share/modulefiles; module load $module"
run bash -c ". /usr/share/modules/init/bash; $load; command -v spur && spur -q echo traced && man -w spur"
same "the module" "$out" "$PWD/second/bin/spur
traced
$PWD/second/share/man/man1/spur.1"
run bash -c ". /usr/share/modules/init/bash; before=\$(env | grep -v ^_ | sort); $load; module unload $module
    module unuse $PWD/second/share/modulefiles
    diff <(echo \"\$before\") <(env | grep -v ^_ | sort) | grep second"
same "the module, unloaded" "$out" ""

# What was installed goes again.
cmake --install "$1" --prefix "$PWD/third" >/dev/null
cmake --build "$1" -t uninstall >/dev/null || fault "uninstall fails"
same "left behind" "$(find third ! -type d)" ""
finish
