#!/usr/bin/env bash
# Copyright 2026 the roce4j authors
# SPDX-License-Identifier: Apache-2.0
#
# Scenarios of the launcher ./roce4j, each in a copy of it in a folder of its own with stand-ins for java and mvn.
#
#   launcher-test.sh LAUNCHER --list      prints the scenarios' names
#   launcher-test.sh LAUNCHER SCENARIO    runs one; exit 0 when it holds, else says on stderr what did not
#
# The PATH holds nothing but the tools that the launcher may use, so that no JDK of the machine is seen.

set -u

launcher=$1
scenario=$2
tools="bash env tail find cksum sort mkdir rm mv cp cat sed head dirname readlink ln sleep grep touch chmod wc tr uname"

fail() {
  printf '%s: %s\n' "$scenario" "$1" >&2
  [ -s "$work/err" ] && sed 's/^/  stderr: /' "$work/err" >&2
  [ -s "$work/out" ] && sed 's/^/  stdout: /' "$work/out" >&2
  exit 1
}

expect() { [ "$2" = "$3" ] || fail "$1: expected '$2', got '$3'"; }
contains() { grep -q -e "$2" "$3" || fail "$1: no '$2' in $(cat "$3")"; }

# A JDK of release $2 in folder $1. Its java writes what it was given, and then does what FAKE_JAVA says.
make_jdk() {
  mkdir -p "$1/bin"
  printf 'IMPLEMENTOR="nobody"\nJAVA_VERSION="%s"\n' "$2" >"$1/release"
  printf '#!/usr/bin/env bash\n' >"$1/bin/javac"
  cat >"$1/bin/java" <<'JAVA'
#!/usr/bin/env bash
{
  echo "home=$(dirname "$(dirname "$0")")"
  echo "folder=$PWD"
  echo "pid=$$"
  for argument in "$@"; do echo "argument=$argument"; done
} >"$FAKE_OUT"
case ${FAKE_JAVA:-} in
  exit:*) exit "${FAKE_JAVA#exit:}" ;;
  wait)
    trap 'exit 55' TERM
    echo ready >"$FAKE_OUT.ready"
    while :; do sleep 0.05; done
    ;;
esac
JAVA
  chmod +x "$1/bin/java" "$1/bin/javac"
}

# A Maven that writes down its arguments and makes the dist that the poms make. FAKE_GATE: a file it waits for.
make_maven() {
  mkdir -p "$1"
  cat >"$1/mvn" <<'MAVEN'
#!/usr/bin/env bash
echo "$* JAVA_HOME=$JAVA_HOME" >>"$FAKE_MVN_LOG"
if [ -n "${FAKE_GATE:-}" ]; then
  until [ -e "$FAKE_GATE" ]; do sleep 0.05; done
fi
module=loopback-harness stamp=
while [ $# -gt 0 ]; do
  case $1 in
    -Droce4j.stamp=*) stamp=${1#*=} ;;
    -pl) module=$2 && shift ;;
  esac
  shift
done
if grep -q broken wire/src/main/java/A.java; then
  echo "[INFO] compiling"
  echo "[WARNING] A.java:[1,2] this is suspicious"
  echo "[ERROR] A.java:[3,4] this is broken"
  echo "[ERROR] -> [Help 1]"
  echo "[ERROR] advice about Maven"
  exit 1
fi
mkdir -p "$module/target/dist/lib"
for each in wire congestion transport multipath loopback-harness benchmarks; do mkdir -p "$each/target/classes"; done
echo classes >"$module/target/dist/lib/roce4j.jar"
echo "--some-flag" >"$module/target/dist/jvm.options"
echo "$stamp" >"$module/target/dist/stamp"
exit "${FAKE_MVN_EXIT:-0}"
MAVEN
  chmod +x "$1/mvn"
}

prepare() {
  local tool module
  work=$(mktemp -d "${TMPDIR:-/tmp}/roce4j launcher.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  mkdir -p "$work/tools" "$work/elsewhere" "$work/home"
  for tool in $tools; do
    ln -s "$(command -v "$tool")" "$work/tools/$tool"
  done
  [ -n "$(command -v flock)" ] && ln -s "$(command -v flock)" "$work/tools/flock"
  house="$work/a house with blanks"
  for module in wire congestion transport multipath loopback-harness benchmarks; do
    mkdir -p "$house/$module/src/main/java" "$house/$module/src/test/java"
    echo "<project>$module</project>" >"$house/$module/pom.xml"
  done
  echo "<project/>" >"$house/pom.xml"
  echo "class A {}" >"$house/wire/src/main/java/A.java"
  cp "$launcher" "$house/roce4j"
  make_jdk "$work/jdks/jdk-25" 25.0.3
  make_maven "$work/maven"
  export FAKE_OUT="$work/java" FAKE_MVN_LOG="$work/mvn.log" HOME="$work/home"
  export PATH="$work/maven:$work/tools" ROCE4J_JDK_FOLDERS="$work/jdks"
  unset JAVA_HOME MAVEN_HOME M2_HOME ROCE4J_JVM_OPTIONS ROCE4J_MKDIR_LOCK MAVEN_OPTS
  : >"$work/mvn.log"
  cd "$work/elsewhere" || exit 1
}

# Runs the launcher; sets status, and leaves out and err.
run() {
  status=0
  "$house/roce4j" "$@" >"$work/out" 2>"$work/err" || status=$?
}

builds() { wc -l <"$work/mvn.log" | tr -d ' '; }
java_said() { sed -n "s/^$1=//p" "$work/java"; }

# ---- scenarios --------------------------------------------------------------------------------------------------------

findsJdk25WhenJavaHomeAndPathAreOlder() {
  make_jdk "$work/old/jdk-17" 17.0.15
  make_jdk "$work/jdks/jdk-21" 21.0.1
  make_jdk "$work/jdks/jdk-8" 1.8.0_402
  export JAVA_HOME="$work/old/jdk-17" PATH="$work/old/jdk-17/bin:$PATH"
  run soak
  expect status 0 "$status"
  expect "the JDK" "$work/jdks/jdk-25" "$(java_said home)"
  contains "Maven's JDK" "JAVA_HOME=$work/jdks/jdk-25" "$work/mvn.log"
}

takesJavaHomeThenThePathThenFolders() {
  make_jdk "$work/one" 26
  make_jdk "$work/two" 25
  ln -s "$work/two/bin/java" "$work/tools/java"
  run soak
  expect "the JDK of the PATH, through its link" "$work/two" "$(java_said home)"
  JAVA_HOME="$work/one" run soak
  expect "the JDK of JAVA_HOME" "$work/one" "$(java_said home)"
}

takesTheLowestFittingReleaseOfTheFolders() {
  make_jdk "$work/jdks/jdk-27" 27-ea
  make_jdk "$work/jdks/a-jdk-26" 26
  run soak
  expect "the JDK" "$work/jdks/jdk-25" "$(java_said home)"
}

saysWhatToInstallWithoutJdk25() {
  make_jdk "$work/old" 17.0.15
  JAVA_HOME="$work/old" ROCE4J_JDK_FOLDERS='' run soak
  expect status 3 "$status"
  expect "lines on stderr" 1 "$(wc -l <"$work/err" | tr -d ' ')"
  contains "the line" "needs a JDK 25 or newer and found only JDK 17" "$work/err"
  contains "the line" "install one" "$work/err"
  expect builds 0 "$(builds)"
  ROCE4J_JDK_FOLDERS='' run test
  expect "status of test" 3 "$status"
  contains "the line" "found no JDK at all" "$work/err"
}

takesNoJavaWithoutACompiler() {
  make_jdk "$work/jre" 25
  rm "$work/jre/bin/javac"
  JAVA_HOME="$work/jre" run soak
  expect "the JDK" "$work/jdks/jdk-25" "$(java_said home)"
}

saysThatMavenIsMissing() {
  rm "$work/maven/mvn"
  run soak
  expect status 3 "$status"
  contains "the line" "install Maven" "$work/err"
}

buildsOnceAndThenNeedsNoMaven() {
  run soak
  expect status 0 "$status"
  expect "stdout" "" "$(cat "$work/out")"
  contains "progress" "building" "$work/err"
  rm "$work/maven/mvn"
  run soak
  expect status 0 "$status"
  expect builds 1 "$(builds)"
  expect "stderr" "" "$(cat "$work/err")"
}

rebuildsWhenSourcesChangedAndOnlyThen() {
  echo "class D {}" >"$house/transport/src/main/java/D.java"
  run soak
  expect "first start" 1 "$(builds)"
  touch "$house/wire/src/main/java/A.java"
  echo "class T {}" >"$house/wire/src/test/java/T.java"
  echo "class B {}" >"$house/benchmarks/src/main/java/B.java"
  run soak
  expect "a touched file, a test, a benchmark" 1 "$(builds)"
  echo "class A { int a; }" >"$house/wire/src/main/java/A.java"
  run soak
  expect "an edited file" 2 "$(builds)"
  echo "class B {}" >"$house/transport/src/main/java/a new file.java"
  run soak
  expect "a new file" 3 "$(builds)"
  rm "$house/transport/src/main/java/D.java"
  run soak
  expect "a deleted file" 4 "$(builds)"
  mv "$house/wire/src/main/java/A.java" "$house/wire/src/main/java/E.java"
  echo "class A {}" >"$house/wire/src/main/java/A.java"
  run soak
  expect "a renamed file" 5 "$(builds)"
  echo "<project>more</project>" >"$house/congestion/pom.xml"
  run soak
  expect "a pom" 6 "$(builds)"
}

dropsClassesOfWhatChangedAndOfWhatStandsOnIt() {
  run soak
  local module
  for module in wire congestion transport multipath loopback-harness; do
    touch "$house/$module/target/classes/Old.class"
  done
  echo "class X {}" >"$house/transport/src/main/java/X.java"
  run soak
  [ -e "$house/congestion/target/classes/Old.class" ] || fail "classes below the change were dropped"
  [ -e "$house/transport/target/classes/Old.class" ] && fail "classes of the changed module stayed"
  [ -e "$house/multipath/target/classes/Old.class" ] && fail "classes above the change stayed"
  return 0
}

# Starts three launchers while the build cannot end; opens the gate when all of them are there.
startThreeAtOnce() {
  export FAKE_GATE="$work/gate"
  local one two three count=0
  "$house/roce4j" soak >"$work/out1" 2>"$work/err1" & one=$!
  "$house/roce4j" soak >"$work/out2" 2>"$work/err2" & two=$!
  "$house/roce4j" soak >"$work/out3" 2>"$work/err3" & three=$!
  until [ "$(cat "$work"/err[123] | grep -c 'waiting for it')" = 2 ] && [ "$(builds)" = 1 ]; do
    sleep 0.05
    count=$((count + 1))
    [ $count -lt 600 ] || fail "two of three did not wait: $(cat "$work"/err[123])"
  done
  touch "$work/gate"
  wait "$one" || fail "the first ended with $?"
  wait "$two" || fail "the second ended with $?"
  wait "$three" || fail "the third ended with $?"
  expect builds 1 "$(builds)"
}

threeStartsAtOnceBuildOnce() { startThreeAtOnce; }

threeStartsAtOnceBuildOnceWithoutFlock() {
  rm -f "$work/tools/flock"
  startThreeAtOnce
  [ -L "$house/target/launcher/lock.owner" ] && fail "the lock stayed"
  return 0
}

lockOfADeadBuilderIsTakenOver() {
  export ROCE4J_MKDIR_LOCK=yes
  mkdir -p "$house/target/launcher"
  bash -c 'exit 0' &
  local dead=$!
  wait "$dead"
  ln -s "$dead" "$house/target/launcher/lock.owner"
  run soak
  expect status 0 "$status"
  expect builds 1 "$(builds)"
}

exitCodesPass() {
  local code
  for code in 0 1 2 3 4 130; do
    FAKE_JAVA=exit:$code run soak
    expect "exit code" "$code" "$status"
  done
}

launcherBecomesJavaSoThatSignalsReachIt() {
  run soak
  FAKE_JAVA=wait "$house/roce4j" soak >"$work/out" 2>"$work/err" &
  local pid=$! count=0 code=0
  until [ -e "$work/java.ready" ]; do
    sleep 0.05
    count=$((count + 1))
    [ $count -lt 600 ] || fail "java did not start"
  done
  expect "java's process" "$pid" "$(java_said pid)"
  kill -TERM "$pid"
  wait "$pid" || code=$?
  expect "java's own exit code after SIGTERM" 55 "$code"
}

signalDuringTheBuildEndsMaven() {
  export FAKE_GATE="$work/gate"
  "$house/roce4j" soak >"$work/out" 2>"$work/err" &
  local pid=$! count=0 code=0
  until [ "$(builds)" = 1 ]; do
    sleep 0.05
    count=$((count + 1))
    [ $count -lt 600 ] || fail "Maven did not start"
  done
  kill -TERM "$pid"
  wait "$pid" || code=$?
  expect "exit code" 143 "$code"
  unset FAKE_GATE
  run soak
  expect "the next start builds" "0 2" "$status $(builds)"
}

argumentsAndCallersFolderPassUnchanged() {
  mkdir -p "$work/a folder"
  cd "$work/a folder" || exit 1
  ROCE4J_JVM_OPTIONS="-Xmx1g -Dx=y" run decode "a file.pcap" "" '*' --json -
  expect "the folder" "$work/a folder" "$(java_said folder)"
  java_said argument >"$work/arguments"
  expect "the tail of the arguments" "io.roce4j.harness.cli.Main decode a file.pcap  * --json - " \
    "$(sed -n '/Main$/,$p' "$work/arguments" | tr '\n' ' ')"
  contains "the options of the environment" "^-Xmx1g$" "$work/arguments"
  contains "the options of the environment" "^-Dx=y$" "$work/arguments"
  contains "the flags of the build" "^@.*/a house with blanks/target/launcher/.*/jvm.options$" "$work/arguments"
  contains "the class path" "^$house/target/launcher/.*/lib/\*$" "$work/arguments"
}

startsThroughSymbolicLinks() {
  mkdir -p "$work/links/deep"
  ln -s "../../a house with blanks/roce4j" "$work/links/deep/relative"
  ln -s "$work/links/deep/relative" "$work/links/r4j"
  status=0
  "$work/links/r4j" soak >"$work/out" 2>"$work/err" || status=$?
  expect status 0 "$status"
  [ -d "$house/target/launcher" ] || fail "the build is not in the launcher's own folder"
}

buildFailureIsShownAndLeavesNothingToRun() {
  echo "class broken" >"$house/wire/src/main/java/A.java"
  run soak
  expect status 3 "$status"
  contains "the reason" "this is broken" "$work/err"
  contains "the warning" "this is suspicious" "$work/err"
  contains "the end" "the build failed" "$work/err"
  grep -q -e "advice about Maven" -e "INFO" "$work/err" && fail "noise in the output"
  expect "stdout" "" "$(cat "$work/out")"
  [ -e "$work/java" ] && fail "java was started all the same"
  echo "class good {}" >"$house/wire/src/main/java/A.java"
  run soak
  expect "once mended" 0 "$status"
}

runningProgramKeepsItsImage() {
  [ -e "$work/tools/flock" ] || return 0
  FAKE_JAVA=wait "$house/roce4j" soak >"$work/out" 2>"$work/err" &
  local pid=$! count=0 image edit
  until [ -e "$work/java.ready" ]; do
    sleep 0.05
    count=$((count + 1))
    [ $count -lt 600 ] || fail "java did not start"
  done
  image=$(sed -n 's/^argument=@\(.*\)\/jvm.options$/\1/p' "$work/java")
  for edit in 1 2 3; do
    echo "class A { int a$edit; }" >"$house/wire/src/main/java/A.java"
    run soak
    expect "start $edit" 0 "$status"
  done
  [ -e "$image/lib/roce4j.jar" ] || fail "the image of a running program was removed"
  kill -TERM "$pid"
  wait "$pid"
  echo "class A { int last; }" >"$house/wire/src/main/java/A.java"
  run soak
  [ -e "$image" ] && fail "the image of a program that ended stays for ever"
  expect "images left" 1 "$(find "$house/target/launcher" -name complete | wc -l | tr -d ' ')"
}

benchmarksRunTheirOwnImage() {
  run bench wire
  expect status 0 "$status"
  contains "Maven's arguments" "-pl benchmarks -am package" "$work/mvn.log"
  expect "the main class" "argument=io.roce4j.benchmarks.Main" "$(grep io.roce4j "$work/java")"
  echo "class B {}" >"$house/benchmarks/src/main/java/B.java"
  run bench wire
  expect "an edited benchmark" 2 "$(builds)"
}

fuzzingGetsTheJdkThatWasFound() {
  mkdir -p "$house/wire/fuzz"
  printf '#!/usr/bin/env bash\necho "$JAVA_HOME $*"\n' >"$house/wire/fuzz/run"
  chmod +x "$house/wire/fuzz/run"
  make_jdk "$work/old/jdk-17" 17.0.15
  export JAVA_HOME="$work/old/jdk-17"
  run fuzz -n 5 cm
  expect status 0 "$status"
  expect "what the search was given" "$work/jdks/jdk-25 -n 5 cm" "$(cat "$work/out")"
}

testCommandIsMavensAndItsBuildServes() {
  FAKE_MVN_EXIT=1 run test -Dtest=Some
  expect "Maven's exit code" 1 "$status"
  contains "Maven's arguments" "^-B -ntp -Droce4j.stamp=[-0-9]* verify -Dtest=Some " "$work/mvn.log"
  run test
  expect status 0 "$status"
  run soak
  expect "status after the test command" 0 "$status"
  expect "builds" 2 "$(builds)"
}

testCommandChecksWhatAStartCompiledQuickly() {
  run soak
  contains "a start's build" "-Dquick" "$work/mvn.log"
  echo quick >"$house/wire/target/classes/A.class"
  run test
  [ -e "$house/wire/target/classes/A.class" ] && fail "classes that were not checked stayed"
  tail -n 1 "$work/mvn.log" >"$work/last"
  grep -q -e -Dquick "$work/last" && fail "the test command does not check: $(cat "$work/last")"
  echo checked >"$house/wire/target/classes/A.class"
  run test
  [ -e "$house/wire/target/classes/A.class" ] || fail "checked classes were dropped"
  run soak
  [ -e "$house/wire/target/classes/A.class" ] || fail "checked classes were dropped by a start"
  return 0
}

cleanRemovesWhatWasBuilt() {
  run soak
  mkdir -p "$house/notes/target" && echo mine >"$house/notes/target/file"
  run clean
  expect status 0 "$status"
  [ -e "$house/target" ] && fail "target stayed"
  [ -e "$house/loopback-harness/target" ] && fail "a module's target stayed"
  [ -e "$house/notes/target/file" ] || fail "a folder that is no module was cleaned"
  run clean now
  expect "status with an argument" 2 "$status"
}

folderWithAColonIsRefused() {
  mkdir -p "$work/a:b"
  cp "$house/roce4j" "$work/a:b/"
  status=0
  "$work/a:b/roce4j" soak >"$work/out" 2>"$work/err" || status=$?
  expect status 3 "$status"
  contains "the line" "colon" "$work/err"
}

if [ "$scenario" = --list ]; then
  sed -n 's/^\([a-z][A-Za-z0-9]*[A-Z][A-Za-z0-9]*\)() {.*/\1/p' "$0" | grep -v startThreeAtOnce
  exit 0
fi
prepare
"$scenario"
