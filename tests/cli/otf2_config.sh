#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: scripts include/otf2
# shellcheck source-path=SCRIPTDIR disable=SC2046,SC2086 # flags are lists of words
. "$(dirname "$0")/expect.sh"

# Writes an archive and reads it, in C and in C++; then asks for a substrate that is not there.
cat >program.c <<'END'
#include <otf2/otf2.h>
#include <stdio.h>

static OTF2_FlushType pre_flush(void *data, OTF2_FileType type, OTF2_LocationRef location,
                                void *caller, bool final)
{
    (void)data, (void)type, (void)location, (void)caller, (void)final;
    return OTF2_FLUSH;
}

static OTF2_TimeStamp post_flush(void *data, OTF2_FileType type, OTF2_LocationRef location)
{
    (void)data, (void)type, (void)location;
    return 7;
}

static OTF2_CallbackCode enter(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                               OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
    (void)data, (void)attributes;
    printf("%llu %llu %u\n", (unsigned long long)location, (unsigned long long)time, region);
    return OTF2_CALLBACK_SUCCESS;
}

static int write_archive(const char *path, OTF2_FileSubstrate substrate)
{
    static OTF2_FlushCallbacks flush;
    OTF2_Archive *a = OTF2_Archive_Open(path, "traces", OTF2_FILEMODE_WRITE, 1 << 18, 1 << 18, substrate,
                                        OTF2_COMPRESSION_NONE);
    flush.otf2_pre_flush = pre_flush;
    flush.otf2_post_flush = post_flush;
    OTF2_Archive_SetFlushCallbacks(a, &flush, NULL);
    OTF2_Archive_SetSerialCollectiveCallbacks(a);
    OTF2_Archive_OpenEvtFiles(a);
    OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(a, 3);
    OTF2_EvtWriter_Enter(w, NULL, 5, 0);
    OTF2_Archive_CloseEvtWriter(a, w);
    OTF2_Archive_CloseEvtFiles(a);
    OTF2_GlobalDefWriter *g = OTF2_Archive_GetGlobalDefWriter(a);
    OTF2_GlobalDefWriter_WriteString(g, 0, "");
    OTF2_GlobalDefWriter_WriteLocation(g, 3, 0, OTF2_LOCATION_TYPE_CPU_THREAD, 1, 0);
    return OTF2_Archive_Close(a);
}

static int read_archive(const char *anchor)
{
    uint64_t n = 0;
    OTF2_Reader *r = OTF2_Reader_Open(anchor);
    OTF2_Reader_SetSerialCollectiveCallbacks(r);
    OTF2_Reader_SelectLocation(r, 3);
    OTF2_Reader_OpenEvtFiles(r);
    OTF2_Reader_GetEvtReader(r, 3);
    OTF2_GlobalEvtReader *g = OTF2_Reader_GetGlobalEvtReader(r);
    OTF2_GlobalEvtReaderCallbacks *c = OTF2_GlobalEvtReaderCallbacks_New();
    OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(c, enter);
    OTF2_Reader_RegisterGlobalEvtCallbacks(r, g, c, NULL);
    OTF2_GlobalEvtReaderCallbacks_Delete(c);
    OTF2_Reader_ReadAllGlobalEvents(r, g, &n);
    OTF2_Reader_Close(r);
    return n != 1;
}

int main(void)
{
    return write_archive("archive", OTF2_SUBSTRATE_POSIX) || read_archive("archive/traces.otf2") ||
           write_archive("containers", OTF2_SUBSTRATE_SION) || read_archive("containers/traces.otf2");
}
END
cp program.c program.cc

# builds_with COMMAND WHAT: both programs are made with the flags that COMMAND prints, and run.
builds_with()
{
    flags=$("$1" otf2-config --cflags --ldflags --libs)
    for source in program.c program.cc; do
        rm -rf archive containers
        case $source in *.cc) compiler=c++ ;; *) compiler=cc ;; esac
        $compiler $source -o program $flags || fault "$2: $source is not compiled"
        run ./program
        same "$2: $source" "$status:$out:$err" "0:3 5 0
3 5 0:"
    done
}

builds_with "$spur" "build tree"
cmake --install "$1" --prefix "$PWD/first" >/dev/null || fault "installation fails"
mv first second
builds_with "$PWD/second/bin/spur" installation
case $flags in *"$1"*) fault "flags of an installation name the build tree: $flags" ;; esac
otf2-print archive/traces.otf2 2>/dev/null | grep -q '^ENTER' || fault "the reference does not read it"

# ---- what the headers of the reference call deprecated ----

# deprecated_with FLAGS: which of all functions and constants the compiler warns of.
deprecated_with()
{
    cc "$@" -fsyntax-only functions.c 2>&1 | sed -n "s/.*[‘'\"]\(OTF2_[A-Za-z0-9_]*\)[’'\"] is deprecated.*/\1/p" |
        sort -u
}
{
    printf '#include <otf2/otf2.h>\n#include <otf2/OTF2_EventSizeEstimator.h>\nint main(void)\n{\n'
    sed -En 's/^FUNCTION\([^,]*, *([A-Za-z0-9_]+),.*/(void)\&\1;/p' \
        "$(dirname "$0")/../golden/otf2_api_functions.inc"
    sed -En 's/^(VALUE|ALIAS)\([^,]*, *([A-Za-z0-9_]+),.*/(void)\2;/p' \
        "$(dirname "$0")/../../include/otf2/otf2_enums.def"
    echo '}'
} >functions.c
cppflags=$("$spur" otf2-config --cppflags)
same "what is deprecated" "$(deprecated_with $cppflags)" "$(deprecated_with)"
same "their number" "$(deprecated_with $cppflags | wc -l)" 18
same "ignored ones" "$(deprecated_with $cppflags -DOTF2_IGNORE_ATTRIBUTE_DEPRECATED)" ""

# ---- each command alone ----

for command in --cflags --cppflags --ldflags --libs --cc --version --interface-version \
    --otf2-revision --common-revision --configure-command; do
    run "$spur" otf2-config $command
    same "status of $command" "$status:$err" "0:"
    same "lines of $command" "$(echo "$out" | grep -c .)" 1
done
run "$spur" otf2-config --version
same "version of the compared headers" "$out" \
    "$(sed -n 's/.*headers of the reference, version \([0-9.]*\);.*/\1/p' "$(dirname "$0")/../golden/otf2_api_functions.inc")"
run "$spur" otf2-config --libs --target backend
same "libraries for a target" "$out" "-lspur-otf2"
run "$spur" otf2-config --cuda --ldflags
has "linker flags for nvcc" "$out" "-Xlinker -rpath -Xlinker "
run "$spur" otf2-config --features substrates
same "substrates" "$out" "posix
sion
none"
run "$spur" otf2-config --features=compressions
has "compressions" "$out" zlib
run "$spur" otf2-config --features targets
same "targets" "$out" backend
run "$spur" otf2-config --features
same "all features" "$(echo "$out" | cut -d: -f1 | paste -sd ' ')" "substrates compressions targets"
run "$spur" otf2-config --help
has "help" "$status:$out" "0:usage: spur otf2-config"

for wrong in "" --nothing "--features all" "--target gpu --libs"; do
    run "$spur" otf2-config $wrong
    same "status for '$wrong'" "$status" 1
    has "the hint for '$wrong'" "$err" "spur otf2-config --help"
done
finish
