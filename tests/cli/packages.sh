#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
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

# RPM: the macros as its own tool expands them.
spec=$root/packaging/rpm/spur.spec
rpmspec --define '_libdir /usr/lib' --define '_libexecdir /usr/libexec' --define 'cmake true' \
    --define 'cmake_build true' --define 'cmake_install true' -P "$spec" >expanded 2>err || fault "rpmspec: $(cat err)"
sed -n '/^%files/,$p' expanded | sed -nE 's#^(%doc )?/(usr/[^ ]*).*#\2#p' >in_spec
sed -n 's#^%exclude /##p' expanded >excluded
# shellcheck disable=SC2046 # a list of patterns
packed spur.spec listed $(cat in_spec)
# A folder, but for the files in it that another package has.
while read -r file; do
    awk -v file="$file" '$0 != file || seen++' listed >kept && mv kept listed
done <excluded
once RPM listed

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
version=$("$spur" --version)
module=spur/${version#spur }
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
