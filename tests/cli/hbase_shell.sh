#!/usr/bin/env bash
# `bennu shell` on the command line: where commands come from, what is echoed, how it ends.
#   hbase_shell.sh PATH-OF-BENNU
set -uo pipefail
. "$(dirname "$0")/scan_metrics.sh"
. "$(dirname "$0")/lib.sh"
export TZ=UTC
without_times() { sed -E 's/^Took [0-9.]+ seconds/Took T seconds/' "$1"; }

exits "commands" 0 "$bennu" shell db -e "create 't', {NAME => 'f', VERSIONS => 3}" \
  -e "put 't', 'r1', 'f:a', \"v\\x00\", 1000" -e "scan 't'"
check "their answers, without echo" "Created table t
Took T seconds
=> Hbase::Table - t
Took T seconds
ROW  COLUMN+CELL
 r1 column=f:a, timestamp=1970-01-01T00:00:01, value=v\\x00
1 row(s)
Took T seconds" "$(without_times out)"

exits "a value of OrderedBytes" 0 "$bennu" shell :memory: -n -e "create 't', 'f'" \
  -e "put 't', 'r1', 'f:n', \"\\xd3\\x7f\\xff\\xff\\xff\\xff\\xff\\xff\\xfa\", 1000" \
  -e "get 't', 'r1', 'f:n:toOrderedInt64'" -e "scan 't', {COLUMNS => ['f:n:toOrdered']}"
check "is shown by its formatter" " f:n timestamp=1970-01-01T00:00:01, value=5
 r1 column=f:n, timestamp=1970-01-01T00:00:01, value=5" "$(grep value= out)"
exits "a formatter that does not fit" 1 "$bennu" shell :memory: -n -e "create 't', 'f'" -e "put 't', 'r1', 'f:n', 'x'" \
  -e "get 't', 'r1', 'f:n:toOrderedInt64'"
check "says so" "yes" "$(grep -q 'ERROR: toOrderedInt64: .*: x$' err && echo yes || cat err)"

# Files are kept track of in one way, and another one is not passed over.
clone() { "$bennu" shell :memory: -n -e "create 't', 'f'" -e "snapshot 't', 's'" -e "clone_snapshot 's', 'v', $1"; }
export bennu
export -f clone
exits "a store file tracker that is not there" 1 bash -c "clone \"{CLONE_SFT => 'NONSENSE'}\""
check "is named" "ERROR: store file tracker NONSENSE is not there; there is DEFAULT" "$(cat err)"
exits "the one that is" 0 bash -c "clone \"{CLONE_SFT => 'DEFAULT', RESTORE_ACL => true}\""
exits "an option of something else" 1 bash -c "clone '{TTL => 1}'"

# A pipe is echoed behind its prompts, as HBase's shell does it.
echo "list" | "$bennu" shell db >out 2>err
check "echo" "bennu:001:0> list
TABLE
t
1 row(s)
Took T seconds
=> [\"t\"]
bennu:002:0> " "$(without_times out)"
printf "exists 't',\n\nlist 'x'" | "$bennu" shell db >out 2>err
check "a statement that goes on" "bennu:002:0* " "$(sed -n 2p out)"
printf "list" | "$bennu" shell db -q >out 2>err
check "quiet" "TABLE" "$(head -1 out)"

# Errors: told in the transcript, and the rest is run; with -n and -e the first one ends it.
printf "scan 'none'\nlist\n" | "$bennu" shell db -q >out 2>err
check "exit code after an error" 1 $?
check "the error and its hint" "ROW  COLUMN+CELL

ERROR: Unknown table none!

For usage try 'help \"scan\"'" "$(head -5 out)"
check "the rest is run" 1 "$(grep -c '^TABLE$' out)"
printf "scan 'none'\nlist\n" >script
exits "-n stops" 1 "$bennu" shell db -n script
check "it is told on standard error" "ERROR: Unknown table none!" "$(cat err)"
check "nothing after it" 0 "$(grep -c '^TABLE$' out)"
exits "a script goes on" 1 "$bennu" shell db script
check "after it" 1 "$(grep -c '^TABLE$' out)"
exits "-e stops" 1 "$bennu" shell db -e "no_such_command 5" -e "list"
check "-e: nothing after it" "" "$(cat out)"
exits "no Ruby beyond" 1 "$bennu" shell db -e "3.times { |i| list }"
check "which is said" 1 "$(grep -c 'syntax error' err)"
exits "an end within a statement" 1 "$bennu" shell db -e "create 'u', {"
exits "exit with a code" 7 "$bennu" shell db -e "exit 7" -e "list"
exits "exit" 0 "$bennu" shell db -e "exit" -e "nonsense"

# Answers to questions are the lines that follow.
printf "disable_all 't.*'\ny\ndrop_all 't.*'\nn\nlist\ndrop_all 't.*'\nyes\nlist\n" |
  "$bennu" shell db -q >out 2>err
check "exit code of questions" 0 $?
check "disabled" 1 "$(grep -c '^1 tables successfully disabled$' out)"
check "kept, then dropped" "1 row(s) 0 row(s)" "$(grep 'row(s)' out | paste -sd ' ')"

# What was written is there for the next one, and for SQL.
exits "durable" 0 "$bennu" shell db -e "create 'ns_t', 'f'" -e "incr 'ns_t', 'r', 'f:c', 41"
exits "count on" 0 "$bennu" shell db -e "incr 'ns_t', 'r', 'f:c'"
check "42" "COUNTER VALUE = 42" "$(head -1 out)"
exits "SQL sees the table" 0 "$bennu" sql db --format csv \
  -c 'CREATE VIEW "ns_t" (K VARCHAR PRIMARY KEY, "f"."c" UNSIGNED_LONG)' -c 'SELECT "c" FROM "ns_t"'
exits "times as numbers" 0 "$bennu" shell db -D hbase.shell.timestamp.format.epoch=true \
  -e "put 'ns_t', 'x', 'f:q', 'v', 1234" -e "get 'ns_t', 'x'"
check "epoch" 1 "$(grep -c 'timestamp=1234, value=v' out)"
exits "the store is sound" 0 "$bennu" check db

# What describe prints can be given back.
exits "sizes and times with units" 0 "$bennu" shell db -e "create 'd1', {NAME => 'f', TTL => '1 DAY 2 HOURS', BLOCKSIZE => '128 KB', STORAGE_POLICY => 'hot', MOB_THRESHOLD => 100}, MAX_FILESIZE => '3 GB'"
exits "described" 0 "$bennu" shell db -e "describe 'd1'"
family=$(grep '^{NAME' out)
check "in HBase's words" 1 "$(grep -c "TTL => '93600 SECONDS (1 DAY 2 HOURS)'.*BLOCKSIZE => '131072 B (128KB)'" out)"
check "kept" 1 "$(grep -c "STORAGE_POLICY.*HOT" out)"
check "of the table" 1 "$(grep -c "MAX_FILESIZE => '3221225472 B (3GB)'" out)"
exits "given back" 0 "$bennu" shell db -e "create 'd2', $family, MAX_FILESIZE => '3221225472 B (3GB)'"
exits "described again" 0 "$bennu" shell db -e "describe 'd2'"
check "is the same" "$family" "$(grep '^{NAME' out)"
exits "encryption" 1 "$bennu" shell db -e "create 'd3', {NAME => 'f', ENCRYPTION => 'AES'}"
check "is refused by name" 1 "$(grep -c "ENCRYPTION is 'AES'" err)"
exits "its key" 1 "$bennu" shell db -e "create 'd3', {NAME => 'f', ENCRYPTION_KEY => 'k'}"
exits "and no table made" 0 "$bennu" shell db -e "exists 'd3'"
check "of that name" 1 "$(grep -c 'does not exist' out)"
exits "sizes below HBase's bounds" 1 "$bennu" shell db -e "create 'd3', 'f', MAX_FILESIZE => 1"
check "and how to have them" 1 "$(grep -c 'hbase.table.sanity.checks=false' err)"
exits "have them" 0 "$bennu" shell db -e "create 'd3', 'f', {MAX_FILESIZE => 1, CONFIGURATION => {'hbase.table.sanity.checks' => 'false'}}"

exits "read-only" 1 "$bennu" shell db --read-only -e "put 'ns_t', 'r', 'f:q', 'v'"
exits "read-only reads" 0 "$bennu" shell db --read-only -e "scan 'ns_t'"
exits "a server that is not there" 3 "$bennu" shell 127.0.0.1:1 -e "list"
check "is told" 1 "$(grep -c 'cannot be reached' err)"
mkdir other && touch other/file
exits "another directory" 3 "$bennu" shell other -e "list"
exits "no script" 2 "$bennu" shell db no-such-file
exits "a bad -D" 2 "$bennu" shell db -D nonsense -e list
exits "a -D that nobody reads" 2 "$bennu" shell db -D foo.bar=1 -e list
check "is told" "ERROR: InvalidArgument: -D foo.bar: Bennu has no such property" "$(cat err)"
for wrong in hbase.hregion.max.filesize=5x bennu.memory=abc bennu.memory=10 hbase.wal.hsync=perhaps \
  hbase.hstore.compaction.min=-3 hbase.shell.timestamp.format.epoch=maybe phoenix.query.timeoutMs=x; do
  exits "-D $wrong" 2 "$bennu" shell db -D "$wrong" -e list
  check "-D $wrong is named" 1 "$(grep -c -- "-D ${wrong%=*}" err)"
done
# Right ones count: a cell that is larger than it may be; blocks of which the split policy is asked.
exits "a limit of cells" 1 "$bennu" shell db -D hbase.server.keyvalue.maxsize=1000 \
  -e "create 'small', 'f'" -e "put 'small', 'r', 'f:q', '$(printf 'x%.0s' {1..1000})'"
check "is kept" 1 "$(grep -c 'hbase.server.keyvalue.maxsize' err)"
exits "without it" 0 "$bennu" shell db -e "put 'small', 'r', 'f:q', '$(printf 'x%.0s' {1..1000})'"
exits "a limit of rows" 1 "$bennu" shell db -D hbase.table.max.rowsize=900 -e "get 'small', 'r'"
exits "memory" 0 "$bennu" shell db --memory 64M -e "get 'small', 'r'"
exits "a directory's property for a server" 2 "$bennu" shell 127.0.0.1:1 -D hbase.wal.hsync=true -e list
check "is refused" 1 "$(grep -c -- '-D hbase.wal.hsync means nothing to a client' err)"
exits "memory for a server" 2 "$bennu" shell 127.0.0.1:1 --memory 1G -e list
# Errors name the thing.
exits "no counter" 1 "$bennu" shell db -e "put 'small', 'c', 'f:n', 'abc'" -e "incr 'small', 'c', 'f:n'"
check "which column it is" 1 "$(grep -c "row 'c', column 'f:n'.*3 bytes" err)"
exits "a name too long for a directory" 1 "$bennu" shell db -e "create '$(printf 'x%.0s' {1..300})', 'f'"
check "which is said" 1 "$(grep -c 'it has 300 bytes; at most 255' err)"
exits "the longest name" 0 "$bennu" shell db -e "create '$(printf 'y%.0s' {1..255})', 'f'"
exits "a namespace with a dot" 1 "$bennu" shell db -e "create_namespace 'a.b'"
check "is one" 1 "$(grep -c "namespace 'a.b'" err)"
exits "an empty border" 1 "$bennu" shell db -e "split 'small', ''"
check "is no row" 1 "$(grep -c 'should not give a splitkey which equals to startkey' err)"
exits "families that are read on demand" 0 "$bennu" shell db -e "create 'two', 'f', 'g'" \
  -e "put 'two', 'r', 'f:q', 'v'" -e "put 'two', 'r', 'g:q', 'w'" \
  -e "scan 'two', {REVERSED => true, FILTER => \"SingleColumnValueFilter('f', 'q', =, 'binary:v', true, true)\"}"
check "are read backwards too" 2 "$(grep -c 'column=[fg]:q' out)"
metrics_table | "$bennu" shell db -q >out 2>err
all_scan_metrics db
# Options of a table that mean nothing, or nothing there.
for option in "'hbase.busy.policy.minAge' => 'x'" "'hbase.increasing.policy.initial.size' => 'abc'" \
  "'hbase.regionserver.region.split_restriction.type' => 'Foo'" \
  "'KeyPrefixRegionSplitPolicy.prefix_length' => 'x'" "'hbase.hstore.blockingWaitTime' => '5'"; do
  exits "$option" 1 "$bennu" shell db -e "create 'odd', 'f', {CONFIGURATION => {$option}}"
  exits "$option, later" 1 "$bennu" shell db -e "alter 'small', CONFIGURATION => {$option}"
done
exits "a policy without its length" 1 "$bennu" shell db -e "create 'odd', 'f', SPLIT_POLICY => 'org.apache.hadoop.hbase.regionserver.KeyPrefixRegionSplitPolicy'"
check "is told of it" 1 "$(grep -c 'needs KeyPrefixRegionSplitPolicy.prefix_length' err)"
exits "a bad option" 2 "$bennu" shell db --nonsense
exits "help" 0 "$bennu" shell --help
exits "help of a command" 0 "$bennu" shell db -e "help 'scan'"
check "with examples" 1 "$(grep -c 'ROWPREFIXFILTER =>' out)"
exits "help of a group" 0 "$bennu" shell db -e "help 'ddl'"
check "with all commands" 1 "$(grep -c '^Command: truncate$\|^Command: alter$' out)"

# A second opener gets the holder's pid.
mkfifo hold
"$bennu" shell db <hold >held 2>&1 &
holder=$!
exec 3>hold
echo "version" >&3
until grep -q Took held || ! kill -0 "$holder" 2>/dev/null; do sleep 0.05; done
exits "held" 3 "$bennu" shell db -e "list"
check "by whom" 1 "$(grep -c "$holder" err)"
exec 3>&-
wait "$holder"

echo "$checks checks, $failures failures"
[[ $failures == 0 ]]
