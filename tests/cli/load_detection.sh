#!/usr/bin/env bash
# What a file is taken for when nobody says it: how it is compressed, what separates its fields, and
# whether its first line names columns.
#   load_detection.sh PATH-OF-BENNU
set -uo pipefail
. "$(dirname "$0")/lib.sh"

# loads NAME NOTE FILE [OPTION…]: into an empty table; the rows must be (1, a;b) and (2, c).
loads() {
  local name=$1 note=$2
  shift 2
  "$bennu" sql db -c "DELETE FROM T" >/dev/null
  exits "$name" 0 "$bennu" load db T "$@"
  check "$name: the note" "$note" "$(sed -n 's/^note: //p' err)"
  check "$name: the rows" $'1,x y\n2,z' "$("$bennu" sql db --format csv -c "SELECT K, V FROM T" | tail -n +2)"
}

exits "a table" 0 "$bennu" sql db -c "CREATE TABLE T (K INTEGER NOT NULL PRIMARY KEY, V VARCHAR)"
semicolons="the fields are separated by ';'; --delimiter chooses another separator"
row="the first line names no columns and is taken as a row; its fields are the table's columns in their order"
printf 'K,V\n1,x y\n2,z\n' >commas.csv
loads "commas" "" commas.csv
printf '\xef\xbb\xbfk;v\r\n1;x y\r\n2;z\r\n' >semicolons.csv
loads "semicolons" "$semicolons" semicolons.csv
printf 'K\tV\n1\tx y\n2\tz\n' >tabs.tsv
loads "tabs" "the fields are separated by tabs; --delimiter chooses another separator" tabs.tsv
printf '"V"|"K"\nx y|1\nz|2\n' >bars.txt
loads "bars" "the fields are separated by '|'; --delimiter chooses another separator" bars.txt
loads "from a pipe" "$semicolons" - <semicolons.csv
printf '1,x y\n2,z\n' >rows.csv
loads "no header" "$row" rows.csv
loads "no header, as told" "" rows.csv --no-header
printf '1;x y\n2;z\n' >rows.txt
loads "no header, semicolons" "$semicolons
$row" rows.txt
# The bytes tell how a file is compressed, not its name.
gzip -c commas.csv >gzip.csv
gzip_note="the file is compressed with gzip"
zstd_note="the file is compressed with zstd"
loads "gzip by another name" "$gzip_note" gzip.csv
zstd -q -c commas.csv >zstd.csv
loads "zstd by another name" "$zstd_note" zstd.csv
loads "gzip from a pipe" "$gzip_note" - < <(cat gzip.csv)
loads "zstd from a pipe" "$zstd_note" - < <(cat zstd.csv)
cp gzip.csv named.csv.gz
cp zstd.csv named.csv.zst
loads "gzip by its name" "" named.csv.gz
loads "zstd by its name" "" named.csv.zst
for name in plain.gz plain.zst; do
  cp commas.csv "$name"
  loads "text named $name" "" "$name"
done
printf 'K,V' >short.csv
exits "a file shorter than a mark" 0 "$bennu" load db T short.csv

# A header that is wrong stays one.
printf 'key,value\n1,x\n' >wrong.csv
exits "columns that are not there" 1 "$bennu" load db T wrong.csv
check "are named" "1" "$(grep -c "no column 'key'" err)"
exits "a delimiter of two bytes" 2 "$bennu" load db T commas.csv --delimiter ab
# Quotes in a header are SQL's.
exits "a table of small letters" 0 "$bennu" sql db -c 'CREATE TABLE U (K INTEGER NOT NULL PRIMARY KEY, "x" VARCHAR, X VARCHAR)'
printf 'K,"""x""",X\n1,small,large\n' >quoted.csv
exits "a quoted name" 0 "$bennu" load db U quoted.csv
check "is that column" "1,small,large" "$("$bennu" sql db --format csv -c 'SELECT K, "x", X FROM U' | tail -1)"

# What is no CSV: the place is told, and for JSON what to do.
# refused NAME PATTERN FILE
refused() {
  exits "$1" 1 "$bennu" load db T "$3"
  check "$1: the message" 1 "$(grep -cE "$2" err)"
}
printf '{"K":1,"V":"x y"}\n{"K":2}\n' >objects.json
printf '  [{"K": 1,\n"V": "x"}]\n' >array.json
printf '{"K":1}\n' >one_field.json
for file in objects.json array.json one_field.json; do
  refused "$file" "$file: line 1: this looks like JSON.*jq .*--no-header" "$file"
done
# Other compressions and encodings: what it is, and what makes text of it.
python3 - <<'END'
import bz2, lzma, zipfile
text = open("commas.csv", "rb").read()
open("b.csv", "wb").write(bz2.compress(text))
open("x.csv", "wb").write(lzma.compress(text))
open("u.csv", "wb").write(text.decode().encode("utf-16"))
with zipfile.ZipFile("z.csv", "w") as archive:
    archive.write("commas.csv")
END
refused "bzip2" "b.csv is a file compressed with bzip2.*bzcat b.csv [|] bennu load DIR TABLE -" b.csv
refused "xz" "x.csv is a file compressed with xz.*xzcat x.csv" x.csv
refused "zip" "z.csv is a zip archive.*unzip -p z.csv" z.csv
refused "UTF-16" "u.csv is text in UTF-16.*iconv -f UTF-16 -t UTF-8 u.csv" u.csv
printf 'BZh,K\n1,2\n' >word.csv
refused "a column that begins so" "has no column 'BZh'" word.csv
printf 'K,\033[31mred\n1,2\n' >escape.csv
refused "bytes for a terminal" "has no column '.x1B.31mred'" escape.csv
check "do not reach it" 0 "$(grep -c $'\033' err)"
printf 'K,"V" x\n1,2\n' >quote.csv
refused "a header that is no CSV" "quote.csv: line 1: text follows a closing quote" quote.csv
printf 'K,W\n1,2\n' >other.csv
refused "a column that is not there" "has no column 'W'; it has K, V" other.csv

printf '%d checks, %d failed\n' "$checks" "$failures"
[[ $failures -eq 0 ]]
